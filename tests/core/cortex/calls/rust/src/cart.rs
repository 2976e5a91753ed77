use crate::money::Money;
use super::net::{Client, Send as Transport};

pub trait Rule {
    fn test(&self, cart: &Cart) -> bool;

    fn explain(&self, cart: &Cart) -> bool {
        self.test(cart) // => src/cart.rs Rule.test
    }
}

pub struct Discount {
    percent: i64,
}

impl Rule for Discount {
    fn test(&self, cart: &Cart) -> bool {
        self.apply(cart) // => src/cart.rs Discount.apply
    }
}

impl Discount {
    fn apply(&self, cart: &Cart) -> bool {
        cart.total().cents() > self.percent // => src/cart.rs Cart.total | src/money.rs Money.cents
    }
}

pub struct Cart {
    lines: Vec<Money>,
    client: Client,
    first: Money,
}

impl Cart {
    pub fn new(first: Money) -> Cart {
        let client = Client::connect("x"); // => src/net/client.rs Client.connect
        Cart { lines: Vec::new(), client, first } // => -
    }

    pub fn add(&mut self, price: Money) {
        self.lines.push(price); // => -
        self.client.send("add"); // => src/net/client.rs Client.send
        self.first.double(); // => src/money.rs Money.double
        self.check(&Discount { percent: 3 }); // => src/cart.rs Cart.check
    }

    pub fn total(&self) -> Money {
        let mut sum = Money::new(0); // => src/money.rs Money.new
        for line in &self.lines {
            sum = line.double(); // => src/money.rs Money.double
        }
        sum
    }

    fn check(&self, rule: &dyn Rule) -> bool {
        rule.test(self) && rule.explain(self) // => src/cart.rs Rule.test | src/cart.rs Rule.explain
    }
}

pub fn run<T: Transport>(transport: T, check: impl Fn(i64) -> bool) -> bool {
    transport.deliver(); // => src/net/mod.rs Send.deliver
    check(3) // => -
}
