mod client;

pub use self::client::Client;

pub trait Send {
    fn deliver(&self) -> bool;
}

pub fn connect(name: &str) -> Client {
    let client = Client::connect(name); // => src/net/client.rs Client.connect
    client.send("hello"); // => src/net/client.rs Client.send
    client
}
