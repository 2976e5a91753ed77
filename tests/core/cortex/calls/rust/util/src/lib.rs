pub mod text;

pub use text::trimmed as trim;

pub fn parse(text: &str) -> i64 {
    text::digits(text).parse().unwrap() // => util/src/text.rs digits | - | -
}
