//! The commands of LaTeX for characters, and its functions.

/// The commands of LaTeX and amssymb for the characters that are common in formulas, by character.
const COMMANDS: &[(char, &str)] = &[
    ('\u{ac}', "neg"),
    ('\u{b0}', "degree"),
    ('\u{b1}', "pm"),
    ('\u{b7}', "cdot"),
    ('\u{d7}', "times"),
    ('\u{f7}', "div"),
    ('\u{393}', "Gamma"),
    ('\u{394}', "Delta"),
    ('\u{398}', "Theta"),
    ('\u{39b}', "Lambda"),
    ('\u{39e}', "Xi"),
    ('\u{3a0}', "Pi"),
    ('\u{3a3}', "Sigma"),
    ('\u{3a5}', "Upsilon"),
    ('\u{3a6}', "Phi"),
    ('\u{3a8}', "Psi"),
    ('\u{3a9}', "Omega"),
    ('\u{3b1}', "alpha"),
    ('\u{3b2}', "beta"),
    ('\u{3b3}', "gamma"),
    ('\u{3b4}', "delta"),
    ('\u{3b5}', "varepsilon"),
    ('\u{3b6}', "zeta"),
    ('\u{3b7}', "eta"),
    ('\u{3b8}', "theta"),
    ('\u{3b9}', "iota"),
    ('\u{3ba}', "kappa"),
    ('\u{3bb}', "lambda"),
    ('\u{3bc}', "mu"),
    ('\u{3bd}', "nu"),
    ('\u{3be}', "xi"),
    ('\u{3c0}', "pi"),
    ('\u{3c1}', "rho"),
    ('\u{3c2}', "varsigma"),
    ('\u{3c3}', "sigma"),
    ('\u{3c4}', "tau"),
    ('\u{3c5}', "upsilon"),
    ('\u{3c6}', "varphi"),
    ('\u{3c7}', "chi"),
    ('\u{3c8}', "psi"),
    ('\u{3c9}', "omega"),
    ('\u{3d1}', "vartheta"),
    ('\u{3d5}', "phi"),
    ('\u{3f5}', "epsilon"),
    ('\u{2016}', "|"),
    ('\u{2026}', "ldots"),
    ('\u{2032}', "prime"),
    ('\u{2102}', "mathbb{C}"),
    ('\u{210f}', "hbar"),
    ('\u{2113}', "ell"),
    ('\u{2115}', "mathbb{N}"),
    ('\u{211a}', "mathbb{Q}"),
    ('\u{211d}', "mathbb{R}"),
    ('\u{2124}', "mathbb{Z}"),
    ('\u{2135}', "aleph"),
    ('\u{2190}', "leftarrow"),
    ('\u{2192}', "to"),
    ('\u{2194}', "leftrightarrow"),
    ('\u{21a6}', "mapsto"),
    ('\u{21d2}', "Rightarrow"),
    ('\u{21d4}', "Leftrightarrow"),
    ('\u{2200}', "forall"),
    ('\u{2202}', "partial"),
    ('\u{2203}', "exists"),
    ('\u{2205}', "emptyset"),
    ('\u{2207}', "nabla"),
    ('\u{2208}', "in"),
    ('\u{2209}', "notin"),
    ('\u{220b}', "ni"),
    ('\u{220f}', "prod"),
    ('\u{2211}', "sum"),
    ('\u{2213}', "mp"),
    ('\u{2216}', "setminus"),
    ('\u{2217}', "ast"),
    ('\u{2218}', "circ"),
    ('\u{221d}', "propto"),
    ('\u{221e}', "infty"),
    ('\u{2220}', "angle"),
    ('\u{2225}', "parallel"),
    ('\u{2227}', "land"),
    ('\u{2228}', "lor"),
    ('\u{2229}', "cap"),
    ('\u{222a}', "cup"),
    ('\u{222b}', "int"),
    ('\u{222e}', "oint"),
    ('\u{2234}', "therefore"),
    ('\u{223c}', "sim"),
    ('\u{2243}', "simeq"),
    ('\u{2245}', "cong"),
    ('\u{2248}', "approx"),
    ('\u{2260}', "ne"),
    ('\u{2261}', "equiv"),
    ('\u{2264}', "le"),
    ('\u{2265}', "ge"),
    ('\u{226a}', "ll"),
    ('\u{226b}', "gg"),
    ('\u{2282}', "subset"),
    ('\u{2283}', "supset"),
    ('\u{2286}', "subseteq"),
    ('\u{2287}', "supseteq"),
    ('\u{2295}', "oplus"),
    ('\u{2297}', "otimes"),
    ('\u{22a2}', "vdash"),
    ('\u{22a5}', "perp"),
    ('\u{22a8}', "models"),
    ('\u{22c2}', "bigcap"),
    ('\u{22c3}', "bigcup"),
    ('\u{22c5}', "cdot"),
    ('\u{22ee}', "vdots"),
    ('\u{22ef}', "cdots"),
    ('\u{22f1}', "ddots"),
    ('\u{2308}', "lceil"),
    ('\u{2309}', "rceil"),
    ('\u{230a}', "lfloor"),
    ('\u{230b}', "rfloor"),
    ('\u{2329}', "langle"),
    ('\u{232a}', "rangle"),
    ('\u{27e8}', "langle"),
    ('\u{27e9}', "rangle"),
];

/// The functions that LaTeX has commands for.
const FUNCTIONS: &[&str] = &[
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "csc", "deg", "det", "dim", "exp", "gcd", "inf", "ker",
    "lim", "liminf", "limsup", "ln", "log", "max", "min", "sec", "sin", "sinh", "sup", "tan", "tanh",
];

/// The command for a character, without its backslash.
pub(super) fn command(c: char) -> Option<&'static str> {
    COMMANDS.binary_search_by_key(&c, |&(known, _)| known).ok().map(|index| COMMANDS[index].1)
}

/// Whether a name is a function with a command.
pub(super) fn is_function(name: &str) -> bool {
    FUNCTIONS.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        assert!(COMMANDS.is_sorted_by(|one, next| one.0 < next.0));
        assert!(FUNCTIONS.is_sorted());
        assert_eq!((command('\u{b1}'), is_function("sin")), (Some("pm"), true));
    }
}
