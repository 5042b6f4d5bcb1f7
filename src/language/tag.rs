//! Universal part-of-speech tags, and the classes they fall into.
//!
//! `tagger` gives them, treebanks name them, the group `linguistic.pos` counts them.

/// Number of [`Tag`]s.
pub const TAG_COUNT: usize = 17;

/// A universal part-of-speech tag (UPOS, Nivre et al. 2020).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum Tag {
    Adj,
    Adp,
    Adv,
    Aux,
    Cconj,
    Det,
    Intj,
    Noun,
    Num,
    Part,
    Pron,
    Propn,
    Punct,
    Sconj,
    Sym,
    Verb,
    X,
}

/// The class of a tag, after the table of UPOS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagClass {
    /// Function words: ADP AUX CCONJ DET NUM PART PRON SCONJ.
    Closed,
    /// Content words: ADJ ADV INTJ NOUN PROPN VERB.
    Open,
    /// PUNCT, SYM and X, which foreign words and addresses are tagged.
    Special,
}

impl Tag {
    /// All tags by the name treebanks give them, in order of their numbers.
    pub const ALL: [(&'static str, Self); TAG_COUNT] = [
        ("ADJ", Self::Adj),
        ("ADP", Self::Adp),
        ("ADV", Self::Adv),
        ("AUX", Self::Aux),
        ("CCONJ", Self::Cconj),
        ("DET", Self::Det),
        ("INTJ", Self::Intj),
        ("NOUN", Self::Noun),
        ("NUM", Self::Num),
        ("PART", Self::Part),
        ("PRON", Self::Pron),
        ("PROPN", Self::Propn),
        ("PUNCT", Self::Punct),
        ("SCONJ", Self::Sconj),
        ("SYM", Self::Sym),
        ("VERB", Self::Verb),
        ("X", Self::X),
    ];

    /// Its class.
    pub fn class(self) -> TagClass {
        match self {
            Self::Adp | Self::Aux | Self::Cconj | Self::Det | Self::Num | Self::Part | Self::Pron | Self::Sconj => {
                TagClass::Closed
            }
            Self::Adj | Self::Adv | Self::Intj | Self::Noun | Self::Propn | Self::Verb => TagClass::Open,
            Self::Punct | Self::Sym | Self::X => TagClass::Special,
        }
    }

    pub(crate) fn from_number(number: usize) -> Option<Self> {
        Self::ALL.get(number).map(|&(_, tag)| tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_in_order_of_their_numbers() {
        for (number, (name, tag)) in Tag::ALL.iter().enumerate() {
            assert_eq!((*tag as usize, Tag::from_number(number)), (number, Some(*tag)));
            assert_eq!(format!("{tag:?}").to_uppercase(), *name);
        }
        assert_eq!(Tag::from_number(TAG_COUNT), None);
        let closed = Tag::ALL.iter().filter(|(_, tag)| tag.class() == TagClass::Closed).count();
        assert_eq!(closed, 8);
    }
}
