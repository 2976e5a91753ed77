pub fn trimmed(text: &str) -> &str {
    text.trim() // => -
}

pub fn digits(text: &str) -> String {
    let kept = trimmed(text); // => util/src/text.rs trimmed
    kept.chars().filter(|c| keep(*c)).collect() // => - | - | util/src/text.rs keep | -
}

fn keep(c: char) -> bool {
    c.is_ascii_digit() // => -
}
