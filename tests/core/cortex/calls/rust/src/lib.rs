pub mod cart;
pub mod money;
mod net;

use std::collections::HashMap;

pub use crate::cart::Cart;
use crate::money::{self, Money};
use shop_util::{parse, trim as cut};

pub fn open(name: &str) -> Cart {
    let amount = parse(cut(name)); // => util/src/lib.rs parse | util/src/text.rs trimmed
    let price = Money::new(amount); // => src/money.rs Money.new
    let mut cart = Cart::new(price); // => src/cart.rs Cart.new
    cart.add(money::zero()); // => src/cart.rs Cart.add | src/money.rs zero
    net::connect(name); // => src/net/mod.rs connect
    let _map: HashMap<String, i64> = HashMap::new(); // => -
    helper(&cart); // => src/lib.rs helper
    cart
}

fn helper(cart: &Cart) -> i64 {
    let sum = |value: i64| value + 1;
    sum(cart.total().cents()) // => - | src/cart.rs Cart.total | src/money.rs Money.cents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens() {
        let cart = open("3"); // => src/lib.rs open
        helper(&cart); // => src/lib.rs helper
        assert_eq!(Money::default(), money::zero());
    }
}
