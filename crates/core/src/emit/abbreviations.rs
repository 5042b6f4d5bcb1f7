//! Abbreviations that end with a period, by language: which of them end no sentence, and which are
//! one token with their period.
//!
//! The lists hold what is frequent in texts of the web, after the treebanks of Universal
//! Dependencies. Words that are usual without a period are left out, or count only before a number.

use crate::language::primary;

/// The effect of an abbreviation on the end of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Abbreviation {
    /// No sentence ends with it, such as `Dr.` or `e.g.`.
    Open,
    /// It is one only before a number, such as `Fig.`; then no sentence ends with it.
    BeforeNumber,
    /// A sentence may end with it, such as `etc.`.
    Closing,
}

/// The abbreviations of one language. A form in lower case may also have a capital.
#[derive(Debug)]
struct Language {
    code: &'static str,
    open: &'static str,
    before_number: &'static str,
    closing: &'static str,
}

/// The first row applies to all languages, because names, titles and English terms are everywhere.
/// Single letters are initials or parts of `z. B.`, which need no list.
const LANGUAGES: &[Language] = &[
    Language {
        code: "",
        open: "Dr Mr Mrs Ms Mx Prof St Sr Sra Hr Fr Mme Mlle Rev Gen Capt Lt Col Sgt Hon Gov Sen Rep \
            e.g i.e cf vs viz approx",
        before_number: "fig figs eq eqs sec sect ch chap vol vols no nos nr p pp pg par art ed ver \
            Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec",
        closing: "etc al p.m a.m P.M A.M Inc Ltd Co Corp Bros Jr Ph.D M.Sc B.Sc M.A B.A ibid dept univ",
    },
    Language {
        code: "de",
        open: "Dipl Ing Fa Fam Frl Hrn Mag Med Mio Mrd Tsd Bd Hrsg ca bzw vgl evtl ggf gem inkl exkl \
            zzgl bspw sog insb jew lt max mind od resp vorm ehem geb gest verh griech lat n v Chr \
            sen z.B d.h u.a i.d.R s.o s.u",
        before_number: "Abb Abs Abschn Anm Art Aufl Bl Kap Nr Nrn Pos Rn Rz Str Tab Tel Teilbd Ziff \
            Jg Jh Jan Febr Okt Dez",
        closing: "usw usf etc ff e.V a.D z.Zt i.R u.ä o.ä",
    },
    Language {
        code: "fr",
        open: "MM Mgr Me Mmes Mlles Ste Sts av bd env ex apr J.-C c.-à-d p.ex",
        before_number: "fig art chap t vol n no pp p éd janv févr avr juil sept oct nov déc",
        closing: "etc cie",
    },
    Language {
        code: "es",
        open: "Dra Dres Srta Srs Sres Ud Uds Vd Vds D Dña Lic Ing Arq Av Avda aprox p.ej",
        before_number: "fig pág págs núm cap vol art tel ed ej ene abr ago dic",
        closing: "etc Cía a.C d.C EE.UU",
    },
    Language {
        code: "pt",
        open: "Dra Drs Exmo Exma Sta Sto Srs Eng Arq Av aprox p.ex",
        before_number: "fig pág págs núm cap vol art tel ed fev abr mai ago set out dez",
        closing: "etc Cia a.C d.C",
    },
    Language {
        code: "it",
        open: "Sig Sigg Sig.ra Dott Dott.ssa Avv Ing Arch Geom Rag On Mons p.es es ca circa",
        before_number: "fig pag pagg cap vol art tel ed n gen febbr apr magg giu lug ago sett ott dic",
        closing: "ecc a.C d.C S.p.A S.r.l",
    },
    Language {
        code: "nl",
        open: "dhr mevr mw ir ing drs mr bijv bv o.a d.w.z m.b.t i.v.m t.a.v ca incl excl resp",
        before_number: "afb art blz hfst nr nrs tel",
        closing: "enz e.d",
    },
    Language {
        code: "pl",
        open: "mgr inż hab lek św ks np tzw tzn tj ok im ul al pl os płk gen m.in wg zob por",
        before_number: "rys tab str nr poz ust art rozdz tel",
        closing: "itd itp",
    },
    Language {
        code: "cs",
        open: "Ing Mgr Bc MUDr JUDr RNDr PhDr doc tzv tj tzn např mj cca sv ul nám resp vč popř",
        before_number: "obr tab str č čl odst kap tel",
        closing: "atd apod aj",
    },
    Language {
        code: "sv",
        open: "bl.a t.ex d.v.s s.k dvs fr.o.m t.o.m ca resp jfr",
        before_number: "fig kap nr s sid tel",
        closing: "m.m m.fl osv etc",
    },
    Language {
        code: "da",
        open: "bl.a f.eks dvs ca jf hhv inkl ekskl",
        before_number: "fig kap nr s stk tlf",
        closing: "m.m m.fl osv mv",
    },
    Language {
        code: "nb",
        open: "bl.a f.eks dvs ca jf hhv inkl ekskl",
        before_number: "fig kap nr s tlf",
        closing: "m.m m.fl osv mv",
    },
    Language {
        code: "fi",
        open: "esim ns mm mt toim prof tri",
        before_number: "kuva s ks puh",
        closing: "jne yms ym eKr jKr",
    },
    Language {
        code: "hu",
        open: "ifj id özv kb ún pl ill vö szt",
        before_number: "ábra old sz tel",
        closing: "stb kft bt zrt",
    },
    Language {
        code: "ru",
        open: "им ул пл обл гг руб тыс млн млрд см напр т.е т.н т.к и.о проф акад",
        before_number: "рис табл стр гл ст п тел",
        closing: "др пр т.д т.п н.э",
    },
];

/// Languages that write ordinal numbers with a period.
const ORDINALS: &[&str] = &[
    "de", "cs", "da", "et", "fi", "hr", "hu", "is", "lv", "nb", "nn", "pl", "sk", "sl", "sr", "tr",
];

/// German words before a number with a period that is an ordinal and ends no sentence: `am 3.`.
/// In the other languages the word after an ordinal begins with a small letter.
const BEFORE_ORDINALS: &[&str] = &[
    "am", "der", "die", "das", "dem", "den", "des", "vom", "zum", "zur", "beim", "im", "ins", "ab",
    "bis", "seit", "und", "jeder", "jede", "jedes", "jeden", "ein", "eine", "einen", "einem",
];

/// Forms of companies that follow `Co.` in their names.
pub(super) const COMPANIES: &[&str] = &["KG", "KGaA", "OHG", "Ltd", "Inc", "LLC"];

/// The abbreviations that apply to a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Abbreviations {
    common: &'static Language,
    own: Option<&'static Language>,
    /// True if the language writes ordinal numbers with a period.
    pub(super) has_ordinals: bool,
    is_german: bool,
}

impl Abbreviations {
    /// The abbreviations for a language given by its tag; `""` if it is unknown.
    pub(super) fn new(tag: &str) -> Self {
        let code = primary(tag).to_lowercase();
        let own = LANGUAGES[1..].iter().find(|row| row.code == code);
        Self {
            common: &LANGUAGES[0],
            own,
            has_ordinals: ORDINALS.contains(&code.as_str()),
            is_german: code == "de",
        }
    }

    /// The kind of a word without its period; `None` if it is not an abbreviation.
    pub(super) fn kind(&self, word: &str) -> Option<Abbreviation> {
        // Longer words are in no list.
        const MAX_BYTES: usize = 24;
        if word.len() > MAX_BYTES || word.is_empty() {
            return None;
        }
        let lower = word.to_lowercase();
        let is_in = |list: &str| {
            list.split_ascii_whitespace().any(|known| {
                known == word || known == lower && word.chars().skip(1).eq(known.chars().skip(1))
            })
        };
        let rows = self.own.into_iter().chain([self.common]);
        let lists = rows.flat_map(|row| {
            [
                (row.open, Abbreviation::Open),
                (row.before_number, Abbreviation::BeforeNumber),
                (row.closing, Abbreviation::Closing),
            ]
        });
        lists
            .into_iter()
            .find_map(|(list, kind)| is_in(list).then_some(kind))
    }

    /// Returns true if an ordinal number follows this text and ends no sentence, though a capital
    /// follows it in turn.
    pub(super) fn expects_ordinal(&self, before: &str) -> bool {
        let word = before
            .trim_end()
            .rsplit(|c: char| !c.is_alphabetic())
            .next()
            .unwrap_or_default();
        self.is_german && word.len() <= 8 && BEFORE_ORDINALS.contains(&&*word.to_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_are_those_of_the_language() {
        let german = Abbreviations::new("de-AT");
        assert_eq!(german.kind("Vgl"), Some(Abbreviation::Open));
        assert_eq!(german.kind("Abb"), Some(Abbreviation::BeforeNumber));
        assert_eq!(german.kind("usw"), Some(Abbreviation::Closing));
        assert_eq!(german.kind("e.g"), Some(Abbreviation::Open));
        let english = Abbreviations::new("en");
        assert_eq!(english.kind("vgl"), None);
        assert_eq!(english.kind("DR"), None);
        assert_eq!(english.kind("etc"), Some(Abbreviation::Closing));
        assert!(german.expects_ordinal("Er kam am ") && !english.expects_ordinal("am "));
    }

    #[test]
    fn no_word_is_in_two_lists_of_a_language() {
        for row in LANGUAGES {
            let mut words: Vec<&str> = [row.open, row.before_number, row.closing]
                .iter()
                .flat_map(|list| list.split_ascii_whitespace())
                .collect();
            let count = words.len();
            words.sort_unstable();
            words.dedup();
            assert_eq!(words.len(), count, "{}", row.code);
        }
    }
}
