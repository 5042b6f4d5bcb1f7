//! Names of persons and keywords, as pages write them.

use crate::language::dates::month_of;
use crate::text::{collapse, is_listed};

/// Longest name of an author, in characters.
const MAX_NAME_CHARS: usize = 80;
/// Largest number of names that are kept.
const MAX_NAMES: usize = 20;

/// Words before the name of an author, in lower case; some are names of fields.
const BEFORE: &[&str] = &[
    "written by",
    "view all posts by",
    "all posts by",
    "all articles by",
    "posts by",
    "articles by",
    "more from",
    "more by",
    "posted by",
    "published by",
    "words by",
    "story by",
    "reviewed by",
    "by",
    "author",
    "authors",
    "von",
    "autor",
    "autorin",
    "verfasst von",
    "geschrieben von",
    "text von",
    "par",
    "publié par",
    "rédigé par",
    "auteur",
    "por",
    "escrito por",
    "publicado por",
    "di",
    "scritto da",
    "a cura di",
    "autore",
    "da",
    "door",
    "geschreven door",
    "av",
    "skrevet av",
    "af",
    "przez",
    "autor tekstu",
    "автор",
    "от",
    "作者",
    "文",
    "撰文",
    "記者",
    "记者",
    "責任編輯",
    "编辑",
    "文/",
    "글",
];

/// Texts that are not names, in lower case: accounts of content management systems, and marks of
/// advertisements.
const NOBODY: &[&str] = &[
    "admin",
    "administrator",
    "root",
    "editor",
    "webmaster",
    "author",
    "user",
    "guest",
    "staff",
    "unknown",
    "sponsored",
    "advertorial",
    "anonymous",
    "null",
    "undefined",
    "community",
    "authorization",
    "authentication",
    "authorisation",
    "lesedauer",
];

/// Words for occupations, in lower case: a part with one of them, beside a name, is not a name.
const ROLES: &[&str] = &[
    "reporter",
    "correspondent",
    "editor",
    "writer",
    "journalist",
    "columnist",
    "contributor",
    "producer",
    "photographer",
    "analyst",
    "professor",
    "director",
    "redakteur",
    "redakteurin",
    "korrespondent",
    "korrespondentin",
    "journaliste",
    "correspondant",
    "correspondante",
    "periodista",
    "corresponsal",
    "giornalista",
    "redacteur",
    "redactor",
];

/// Degrees after a name, in lower case without dots.
const DEGREES: &[&str] = &[
    "phd", "md", "ms", "msc", "ma", "mba", "mph", "rd", "rdn", "rn", "ld", "jd", "do", "dds",
    "dvm", "lcsw", "pharmd", "cpa", "bsc", "ba", "esq",
];

/// Words after a name that are not a part of it, in lower case.
const AFTER: &[&str] = &[
    "published",
    "updated",
    "posted",
    "link",
    "copied",
    "follow",
    "share",
    "facebook",
    "twitter",
    "email",
    "on",
    "am",
    "um",
    "joined",
    "registered",
    "anmeldungsdatum",
    "registriert",
    "inscription",
    "inscrit",
    "registrado",
    "зарегистрирован",
];

/// Short names of days and months, in lower case, which remain of a date without its number.
const MONTHS: &[&str] = &[
    "mon", "tue", "wed", "thu", "fri", "sat", "sun", "jan", "feb", "mar", "apr", "jun", "jul",
    "aug", "sep", "sept", "oct", "nov", "dec",
];

/// First words of buttons and links, in lower case: followed by an object of a button, or by words
/// without capitals only, they are not names.
const BUTTONS: &str = "read write view show see follow subscribe log login sign share print reply click download \
     edit send contact about all more next previous back add get join search home menu create leave submit learn \
     visit buy report save copy continue lire voir écrire suivre partager imprimer tous toutes plus lesen mehr alle \
     folgen teilen drucken weiterlesen weitere anmelden über leer ver escribir seguir compartir todos todas más sobre \
     leia mais escreva compartilhar leggi scrivi segui condividi tutti altri lees meer volg deel czytaj zobacz \
     wszystkie читать все подробнее написать подписаться поделиться";
const BUTTON_OBJECTS: &str = "a an the in on up us me all more review reviews customer comment comments profile \
     article articles post posts author authors page version friendly story now here";
/// Parts of labels in scripts without capitals.
const LABELS: &[&str] = &[
    "登录",
    "登入",
    "注册",
    "註冊",
    "分享",
    "打印",
    "列印",
    "评论",
    "評論",
    "关注",
    "更多",
    "回复",
    "回覆",
    "返回",
    "ログイン",
    "シェア",
    "もっと",
    "一覧",
    "コメント",
    "로그인",
    "공유",
    "더보기",
    "댓글",
    "구독",
    "المزيد",
    "مشاركة",
    "اقرأ",
    "تسجيل",
    "और पढ़ें",
    "简介",
    "簡介",
    "介绍",
    "介紹",
    "プロフィール",
    "について",
    "소개",
    "عن الكاتب",
];

/// Words within names that have no capital, in lower case.
const PARTICLES: &str = "de del della di da das do dos du des la le van von vom zu zum zur der den het ter ten \
     't bin ibn bint al el e y i af av of the";

/// Signs beside the names of links and buttons.
const ARROWS: &[char] = &[
    '»', '«', '›', '‹', '→', '←', '↗', '▶', '▸', '►', '>', '<', '➔', '…', '*', '+',
];

/// Separators between a name and a place or an employer, as in `Ann Lee in Paris`.
const BEFORE_PLACE: &[&str] = &[" in ", " for ", " For ", " at ", " aus ", " à "];

/// The days of the week in English: pages in other languages write the date without them, or before
/// the name.
const DAYS: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// Separators between several authors.
const SEPARATORS: &[&str] = &[
    ";", "|", "、", "，", "•", "·", " and ", " und ", " et ", " y ", " e ", " og ", " och ",
    " ve ", " & ", "/", "／",
];

/// The names in the text that a page gives as its author; none if that is an address, an account or
/// a sentence.
pub(super) fn authors(text: &str) -> Vec<String> {
    let text = collapse(text);
    let text = without_date(without_words_before(without_button(text.trim()))).to_owned();
    if text.contains("://") {
        return Vec::new();
    }
    let mut parts = vec![text.as_str()];
    for separator in SEPARATORS {
        parts = parts
            .iter()
            .flat_map(|part| part.split(separator))
            .collect();
    }
    let mut names: Vec<String> = Vec::new();
    // After a whole name, a few capitals alone name an agency.
    let is_agency =
        |name: &str| name.len() <= 5 && name.bytes().all(|byte| byte.is_ascii_uppercase());
    for name in parts
        .into_iter()
        .flat_map(between_commas)
        .map(bare_name)
        .filter(|name| is_name(name))
    {
        if is_agency(name) && names.first().is_some_and(|first| first.contains(' ')) {
            continue;
        }
        if !names.iter().any(|known| known.eq_ignore_ascii_case(name)) && names.len() < MAX_NAMES {
            names.push(name.to_owned());
        }
    }
    names
}

/// The names between commas. A comma is part of `Lee, Ann`, and the text after one in `Ann Lee,
/// Ph.D.`, `Ann Lee, Reuters` or `Ann Lee, senior reporter` is not a name.
fn between_commas(part: &str) -> Vec<&str> {
    let pieces: Vec<&str> = part
        .split(',')
        .map(str::trim)
        .filter(|piece| !piece.is_empty())
        .collect();
    let is_word = |piece: &&&str| !piece.contains(' ');
    if pieces.len() == 2 && pieces.iter().all(|piece| is_word(&piece)) {
        return vec![part];
    }
    let is_role = |piece: &str| {
        piece
            .split(' ')
            .any(|word| ROLES.contains(&word.to_lowercase().as_str()))
    };
    let (first, rest) = pieces
        .split_first()
        .map_or((None, &[][..]), |(first, rest)| (Some(*first), rest));
    let is_whole = first.is_some_and(|first| first.contains(' '));
    let others = rest
        .iter()
        .copied()
        .filter(|piece| !(is_whole && (is_word(&piece) && piece.is_ascii() || is_role(piece))));
    first.into_iter().chain(others).collect()
}

/// A name without the text around it: `by`, brackets, degrees, places, and words of buttons.
fn bare_name(part: &str) -> &str {
    let mut name =
        without_words_before(part.trim_matches(|c: char| c.is_whitespace() || ARROWS.contains(&c)));
    name = match name.split_once(['(', '[']) {
        Some((before, _)) if !before.trim().is_empty() => before.trim(),
        Some((_, inside)) => inside.trim_end_matches([')', ']']).trim(),
        None => name,
    };
    for word in BEFORE_PLACE {
        let place = name.find(word).filter(|at| name[..*at].contains(' '));
        let is_capital = |at: usize| name[at + word.len()..].starts_with(char::is_uppercase);
        if let Some(at) = place.filter(|at| is_capital(*at)) {
            name = &name[..at];
        }
    }
    // A number begins a time, or the length of the text.
    let number = name
        .match_indices(' ')
        .find(|(at, _)| name[at + 1..].starts_with(|c: char| c.is_ascii_digit()));
    name = number.map_or(name, |(at, _)| &name[..at]);
    while let Some((before, last)) = name.rsplit_once(' ') {
        let plain = last.replace(['.', ',', ':'], "").to_lowercase();
        let is_degree = before.contains(' ')
            && last.starts_with(char::is_uppercase)
            && DEGREES.contains(&plain.as_str());
        if !is_degree && !AFTER.contains(&plain.as_str()) && !plain.is_empty() {
            break;
        }
        name = before.trim_end();
    }
    once(name.trim_end_matches([',', ':', '|', '-', '–', '—', '●', ' ']))
}

/// Reduces a name that is written twice, as beside a portrait and as a link, to one.
fn once(name: &str) -> &str {
    let half = name.len() / 2;
    match name.get(half..) {
        Some(end) if end.len() == half + 1 && end.starts_with(' ') && name[..half] == end[1..] => {
            &name[..half]
        }
        _ => name,
    }
}

/// The names in a short line that begins with `by` or a similar word, up to a date or a separator;
/// none in other lines, and none if what follows does not look like names of persons.
pub(super) fn byline(line: &str) -> Vec<String> {
    let line = collapse(line);
    let rest = without_words_before(&line);
    if rest.len() == line.len() {
        return Vec::new();
    }
    let rest = without_date(rest);
    let end = rest
        .find(|c: char| c.is_ascii_digit() || matches!(c, '|' | '·' | '•' | '–' | '—' | '('))
        .unwrap_or(rest.len());
    let names = authors(rest[..end].trim_end_matches(|c: char| !c.is_alphanumeric() && c != '.'));
    if names.iter().all(|name| is_person(name)) {
        names
    } else {
        Vec::new()
    }
}

pub(super) fn starts_byline(line: &str) -> bool {
    without_words_before(line).len() < line.len()
}

/// The names in several texts, each once.
pub(super) fn all_authors(texts: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in texts.iter().flat_map(|text| authors(text)) {
        if !names.iter().any(|known| known.eq_ignore_ascii_case(&name)) && names.len() < MAX_NAMES {
            names.push(name);
        }
    }
    names
}

/// Returns true if the first of two lists of names, separated by commas, has all names of the
/// second and others, each of which looks like that of a person.
pub(super) fn adds_to(names: &str, known: &str) -> bool {
    let list = |names: &str| names.split(", ").map(str::to_lowercase).collect::<Vec<_>>();
    let (all, known) = (list(names), list(known));
    let others = names.split(", ").filter(|name| {
        !known
            .iter()
            .any(|known| name.to_lowercase().contains(known))
    });
    known.iter().all(|name| all.contains(name)) && {
        let others: Vec<&str> = others.collect();
        !others.is_empty()
            && others.len() + known.len() == all.len()
            && others.into_iter().all(is_person)
    }
}

/// Returns true if a name that only a class marks as one looks like a name: its words have
/// capitals, except particles.
pub(super) fn is_plausible(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_part = |word: &&str| !word.starts_with(char::is_lowercase) || is_listed(PARTICLES, word);
    words.len() == 1 || words.iter().all(is_part)
}

/// Returns true if a text has the signs of a link to another page.
pub(super) fn has_arrow(text: &str) -> bool {
    text.contains(ARROWS)
}

/// The text without the label of a button before a name, as in `Print Ann Lee`.
fn without_button(text: &str) -> &str {
    let Some((first, rest)) = text.split_once(' ') else {
        return text;
    };
    let is_button = [
        "print", "share", "email", "imprimer", "drucken", "imprimir", "stampa",
    ]
    .contains(&first.to_lowercase().as_str());
    if is_button && rest.contains(' ') {
        rest
    } else {
        text
    }
}

/// Returns true if a text is the label of a field, of a button or of a link.
fn is_label(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split_whitespace();
    let is_button = words.next().is_some_and(|first| is_listed(BUTTONS, first))
        && (text
            .split_whitespace()
            .skip(1)
            .all(|word| word.starts_with(char::is_lowercase))
            || words.any(|word| is_listed(BUTTON_OBJECTS, word)));
    is_button || BEFORE.contains(&lower.as_str()) || LABELS.iter().any(|label| text.contains(label))
}

/// Returns true if a name has two to four words, two of them with a capital letter, or is a short
/// one in a script without capitals.
fn is_person(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let capitals = words
        .iter()
        .filter(|word| word.chars().next().is_some_and(|c| !c.is_lowercase()))
        .count();
    (2..=4).contains(&words.len()) && capitals >= 2
        || words.len() == 1 && !name.is_ascii() && name.chars().count() <= 5
}

/// The text without `by` or a similar word at its beginning.
fn without_words_before(text: &str) -> &str {
    let lower = text.to_lowercase();
    // Lower case may have another length, so the beginning is only cut where it has the same.
    let fitting = BEFORE
        .iter()
        .filter(|word| lower.starts_with(**word) && text.is_char_boundary(word.len()));
    let longest = fitting
        .filter(|word| text[..word.len()].to_lowercase() == **word)
        .max_by_key(|word| word.len());
    let Some(word) = longest else { return text };
    let rest = &text[word.len()..];
    let is_word = rest.starts_with([' ', ':', '：', '/', '\u{a0}']) || !word.is_ascii();
    if is_word {
        rest.trim_start_matches([' ', ':', '：', '/', '\u{a0}'])
    } else {
        text
    }
}

/// The text before a date such as `Monday, November 18` or `on 18 November`.
fn without_date(text: &str) -> &str {
    let words: Vec<&str> = text.split(' ').collect();
    let bare = |at: usize| {
        words
            .get(at)
            .map_or("", |word| word.trim_matches([',', '.', ';']))
    };
    let is_number =
        |at: usize| !bare(at).is_empty() && bare(at).bytes().all(|byte| byte.is_ascii_digit());
    let is_month =
        |at: usize| bare(at).chars().all(char::is_alphabetic) && month_of(bare(at)).is_some();
    let date = (0..words.len())
        .find(|&at| is_month(at) && is_number(at + 1) || is_number(at) && is_month(at + 1));
    let Some(mut end) = date else { return text };
    let is_before = |word: &str| {
        let word = word.to_lowercase();
        DAYS.iter().any(|day| word == *day || word == day[..3])
            || matches!(word.as_str(), "on" | "am" | "le" | "el" | "-")
    };
    while end > 0 && is_before(bare(end - 1)) {
        end -= 1;
    }
    let bytes = words[..end]
        .iter()
        .map(|word| word.len() + 1)
        .sum::<usize>();
    text[..bytes.min(text.len())].trim_end_matches([' ', ',', '|', '-'])
}

fn is_name(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    letters >= 2
        && digits < 3
        && text.chars().count() <= MAX_NAME_CHARS
        && text.split_whitespace().count() <= 8
        && !text.contains("://")
        && !text.starts_with(['@', '#'])
        && !text.contains('@')
        && !is_label(text)
        && ![NOBODY, AFTER, MONTHS]
            .iter()
            .any(|words| words.contains(&text.trim_end_matches(':').to_lowercase().as_str()))
}

/// Keywords from lists and from texts with commas, each once.
pub(super) fn separated<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in texts
        .flat_map(|text| text.split([',', ';', '，', '、', '|']))
        .map(collapse)
    {
        let word = word.trim();
        if !word.is_empty()
            && word.chars().count() <= MAX_NAME_CHARS
            && found.len() < MAX_NAMES
            && !found.iter().any(|known| known == word)
        {
            found.push(word.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_what_pages_write() {
        for (written, expected) in [
            ("By Ann Lee", &["Ann Lee"][..]),
            ("Von: Bo Olsen", &["Bo Olsen"]),
            ("Ann Lee and Bo Olsen", &["Ann Lee", "Bo Olsen"]),
            (
                "Ann Lee, Bo Olsen, Cy Day",
                &["Ann Lee", "Bo Olsen", "Cy Day"],
            ),
            ("Lee, Ann", &["Lee, Ann"]),
            ("Ann Lee; ann lee", &["Ann Lee"]),
            ("作者：王小明", &["王小明"]),
            (
                "Ann Lee, Bo Olsen Monday, November 18",
                &["Ann Lee", "Bo Olsen"],
            ),
            ("Ann Lee on 18 November 2019", &["Ann Lee"]),
            ("October 19, GitHub", &[]),
            ("Jan May", &["Jan May"]),
            ("Byron", &["Byron"]),
            ("Vonnegut", &["Vonnegut"]),
            ("https://a.example/ann", &[]),
            ("@ann", &[]),
            ("admin", &[]),
            ("Ann Lee, Reuters", &["Ann Lee"]),
            ("Ann Lee, senior reporter in Paris", &["Ann Lee"]),
            ("Ann Lee MS, RDN, LD", &["Ann Lee"]),
            ("Ann Lee (Gull News)", &["Ann Lee"]),
            ("[Ann Lee]", &["Ann Lee"]),
            ("Associated Press in Valencia", &["Associated Press"]),
            ("Ann Lee For Gull.com", &["Ann Lee"]),
            ("View all posts by Ann Lee", &["Ann Lee"]),
            ("Ann Lee Published", &["Ann Lee"]),
            ("Ann Lee | Sponsored", &["Ann Lee"]),
            ("Ann Lee / GNN / Updated: 10:30", &["Ann Lee"]),
            ("Ann Lee 5 Min Read", &["Ann Lee"]),
            ("Ann Lee Ann Lee", &["Ann Lee"]),
            ("王小明，李大華", &["王小明", "李大華"]),
            ("Gull staff reporter", &["Gull staff reporter"]),
            ("Print Ann Lee", &["Ann Lee"]),
            ("By Ann Lee »", &["Ann Lee"]),
            ("annlee6 Anmeldungsdatum", &["annlee6"]),
            ("Write a customer review", &[]),
            ("Read More", &[]),
            ("Lire la suite", &[]),
            ("Все статьи", &[]),
            ("查看更多", &[]),
            ("Authors", &[]),
            ("Herbert Read", &["Herbert Read"]),
            ("İ by", &["İ by"]),
            ("", &[]),
        ] {
            assert_eq!(authors(written), expected, "{written}");
        }
    }

    #[test]
    fn a_byline_names_persons() {
        for (line, expected) in [
            ("By Ann Lee", &["Ann Lee"][..]),
            ("by Ann Lee | May 3, 2020", &["Ann Lee"]),
            (
                "Von Bo Olsen und Ann Lee, 3.5.2020",
                &["Bo Olsen", "Ann Lee"],
            ),
            ("By the way, it rains", &[]),
            ("By chance", &[]),
            ("Ann Lee", &[]),
            ("Da wir hier sind", &[]),
        ] {
            assert_eq!(byline(line), expected, "{line}");
        }
    }

    #[test]
    fn a_list_adds_names_to_another() {
        assert!(adds_to("Ann Lee, Bo Olsen", "ann lee"));
        assert!(!adds_to("Ann Lee, gulls", "Ann Lee"));
        assert!(!adds_to("Ann Lee, Dr Ann Lee", "Ann Lee"));
        assert!(!adds_to("Bo Olsen, Cy Day", "Ann Lee"));
        assert!(!adds_to("Ann Lee", "Ann Lee"));
    }

    #[test]
    fn keywords_are_separated_and_named_once() {
        assert_eq!(
            all_authors(&["Ann Lee".into(), "by ann lee".into(), "Bo".into()]),
            ["Ann Lee", "Bo"]
        );
        assert_eq!(
            separated(["birds, shells,birds", " sea "].into_iter()),
            ["birds", "shells", "sea"]
        );
    }
}
