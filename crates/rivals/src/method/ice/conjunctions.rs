//! Conjunctions by language, for the heuristics of ICE (Hofmann and Weerkamp 2007, 3.2, which names
//! no list).
//!
//! Ours: the coordinating conjunctions of each language and its most frequent subordinating ones,
//! as in any grammar; single words only. For languages without a list, paragraphs are recognized by
//! punctuation alone.

/// The conjunctions of each language, by its ISO 639-1 code, in lower case.
const CONJUNCTIONS: &[(&str, &[&str])] = &[
    (
        "en",
        &[
            "and", "but", "or", "nor", "so", "yet", "for", "that", "if", "because", "although",
            "though", "while", "when", "whereas", "since", "unless", "until", "whether", "than",
            "as", "before", "after", "where",
        ],
    ),
    (
        "de",
        &[
            "und", "aber", "oder", "denn", "sondern", "doch", "sowie", "dass", "daß", "weil",
            "wenn", "als", "ob", "obwohl", "während", "damit", "nachdem", "bevor", "bis", "da",
            "wie", "indem", "sobald",
        ],
    ),
    (
        "fr",
        &[
            "et", "mais", "ou", "donc", "or", "ni", "car", "que", "quand", "comme", "si",
            "lorsque", "puisque", "quoique", "pendant", "afin",
        ],
    ),
    (
        "es",
        &[
            "y", "e", "o", "u", "ni", "pero", "sino", "mas", "que", "si", "porque", "aunque",
            "cuando", "como", "mientras", "pues", "donde",
        ],
    ),
    (
        "it",
        &[
            "e", "ed", "o", "ma", "però", "né", "oppure", "che", "se", "perché", "quando", "come",
            "mentre", "anche", "dove", "quindi", "sebbene",
        ],
    ),
    (
        "pt",
        &[
            "e", "ou", "mas", "nem", "porém", "que", "se", "porque", "pois", "quando", "como",
            "embora", "enquanto", "onde", "portanto",
        ],
    ),
    (
        "nl",
        &[
            "en", "maar", "of", "want", "dus", "dat", "als", "omdat", "hoewel", "terwijl", "toen",
            "voordat", "nadat", "zodat", "indien", "wanneer",
        ],
    ),
    (
        "sv",
        &[
            "och", "men", "eller", "samt", "för", "så", "att", "om", "när", "eftersom", "medan",
            "som", "innan",
        ],
    ),
    (
        "da",
        &[
            "og", "men", "eller", "samt", "for", "så", "at", "hvis", "når", "fordi", "mens", "som",
            "da",
        ],
    ),
    (
        "nb",
        &[
            "og", "men", "eller", "samt", "for", "så", "at", "hvis", "når", "fordi", "mens", "som",
            "da",
        ],
    ),
    (
        "pl",
        &[
            "i",
            "a",
            "oraz",
            "ale",
            "lub",
            "albo",
            "czy",
            "że",
            "żeby",
            "bo",
            "gdy",
            "kiedy",
            "jeśli",
            "ponieważ",
            "więc",
            "jak",
            "chociaż",
            "ani",
        ],
    ),
    (
        "cs",
        &[
            "a", "i", "ale", "nebo", "že", "aby", "když", "protože", "pokud", "jestli", "ani",
            "než", "jako",
        ],
    ),
    (
        "ru",
        &[
            "и",
            "а",
            "но",
            "или",
            "да",
            "что",
            "чтобы",
            "если",
            "когда",
            "как",
            "потому",
            "поэтому",
            "хотя",
            "пока",
            "либо",
            "ни",
            "чем",
        ],
    ),
    (
        "uk",
        &[
            "і", "й", "та", "а", "але", "або", "що", "щоб", "якщо", "коли", "як", "бо", "хоча",
            "чи", "ні",
        ],
    ),
    (
        "el",
        &[
            "και",
            "κι",
            "αλλά",
            "ή",
            "όμως",
            "ότι",
            "πως",
            "αν",
            "όταν",
            "γιατί",
            "ενώ",
            "αφού",
            "ούτε",
            "να",
        ],
    ),
    (
        "tr",
        &[
            "ve", "ama", "fakat", "veya", "ya", "çünkü", "ile", "ki", "eğer", "ancak", "hem", "ne",
            "de", "da",
        ],
    ),
    (
        "hu",
        &[
            "és", "de", "vagy", "hogy", "ha", "mert", "mint", "amikor", "pedig", "hanem", "bár",
            "sem", "is",
        ],
    ),
    (
        "fi",
        &[
            "ja", "mutta", "tai", "vai", "sekä", "että", "jos", "kun", "koska", "vaikka", "kuin",
            "eli",
        ],
    ),
    (
        "ro",
        &[
            "și", "şi", "dar", "sau", "ori", "însă", "că", "dacă", "când", "deși", "cum", "iar",
            "nici", "ca",
        ],
    ),
    (
        "id",
        &[
            "dan", "tetapi", "atau", "bahwa", "jika", "karena", "ketika", "sehingga", "agar",
            "serta", "namun",
        ],
    ),
];

/// The conjunctions of a language, by its ISO 639-1 code, in lower case.
pub(super) fn conjunctions(language: &str) -> Option<&'static [&'static str]> {
    CONJUNCTIONS
        .iter()
        .find(|(code, _)| *code == language)
        .map(|(_, words)| *words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_single_words_in_lower_case() {
        for language in [
            "en", "de", "fr", "es", "it", "pt", "nl", "sv", "pl", "ru", "el", "tr", "id",
        ] {
            let list = conjunctions(language).unwrap_or_default();
            assert!(list.len() >= 8, "{language}");
            assert!(
                list.iter()
                    .all(|word| !word.contains(' ') && *word == word.to_lowercase()),
                "{language}"
            );
        }
        assert!(conjunctions("zh").is_none());
    }
}
