mod common;

use shop::{open, Cart};
use shop::money::{zero, Money};

#[test]
fn opens() {
    let cart = open("3"); // => src/lib.rs open
    cart.total(); // => src/cart.rs Cart.total
    let other = Cart::new(zero()); // => src/cart.rs Cart.new | src/money.rs zero
    other.total(); // => src/cart.rs Cart.total
    common::prepare(); // => tests/common/mod.rs prepare
    Money::new(3).double(); // => src/money.rs Money.new | src/money.rs Money.double
}
