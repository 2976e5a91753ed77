use std::fmt;
use std::ops::Add;

#[derive(Debug, PartialEq)]
pub struct Money {
    cents: i64,
}

impl Money {
    pub fn new(cents: i64) -> Self {
        Self::checked(cents).unwrap() // => src/money.rs Money.checked | -
    }

    fn checked(cents: i64) -> Option<Self> {
        Some(Self { cents }) // => -
    }

    pub fn cents(&self) -> i64 {
        self.cents
    }

    pub fn double(&self) -> Money {
        self.times(2) // => src/money.rs Money.times
    }

    fn times(&self, factor: i64) -> Money {
        Money::new(round(self.cents * factor)) // => src/money.rs Money.new | src/money.rs round
    }
}

impl Default for Money {
    fn default() -> Self {
        zero() // => src/money.rs zero
    }
}

impl Add for Money {
    type Output = Money;

    fn add(self, other: Money) -> Money {
        Money::new(self.cents + other.cents()) // => src/money.rs Money.new | src/money.rs Money.cents
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.text()) // => - | src/money.rs Money.text
    }
}

impl Money {
    fn text(&self) -> String {
        self.cents.to_string() // => -
    }
}

pub fn zero() -> Money {
    Money::new(0) // => src/money.rs Money.new
}

fn round(value: i64) -> i64 {
    value.abs() // => -
}
