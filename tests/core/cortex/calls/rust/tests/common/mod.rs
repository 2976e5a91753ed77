pub fn prepare() {
    clean(); // => tests/common/mod.rs clean
    std::fs::remove_dir_all("x").ok(); // => - | -
}

fn clean() {
    let prepare = || ();
    prepare(); // => -
}
