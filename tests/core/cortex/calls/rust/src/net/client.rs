use super::Send;

pub struct Client {
    name: String,
}

impl Client {
    pub fn connect(name: &str) -> Self {
        let made = Client { name: name.to_owned() }; // => -
        made.greet(); // => src/net/client.rs Client.greet
        made
    }

    fn greet(&self) {
        log(&self.name); // => src/net/client.rs log
    }

    pub fn send(&self, text: &str) -> bool {
        log(text); // => src/net/client.rs log
        self.deliver() // => src/net/client.rs Client.deliver
    }
}

impl Send for Client {
    fn deliver(&self) -> bool {
        super::connect("again").send("x") // => src/net/mod.rs connect | src/net/client.rs Client.send
    }
}

fn log(text: &str) {
    println!("{text}");
}
