//! Words of dates in many languages: the names of months, by their beginnings, and distances from now, such as
//! `3 days ago`.

/// Beginnings of the names of months in lower case, long enough to be told from those of other months in all these languages:
/// English, German, French, Spanish, Portuguese, Italian, Catalan, Dutch, Swedish, Danish, Norwegian, Finnish, Estonian,
/// Romanian, Hungarian, Turkish, Indonesian, Polish, Czech, Slovak, Russian, Ukrainian, Bulgarian, Serbian, Greek, Arabic.
/// Croatian is left out, because its October is the Polish November.
const MONTHS: &[(u32, &[&str])] = &[
    (
        1,
        &[
            "jan",
            "jän",
            "ene",
            "gen",
            "tammi",
            "jaan",
            "ian",
            "ocak",
            "sty",
            "led",
            "янв",
            "січ",
            "яну",
            "јан",
            "ιαν",
            "يناير",
        ],
    ),
    (2, &["feb", "fév", "fev", "febr", "helmi", "veeb", "şub", "lut", "úno", "фев", "лют", "феб", "φεβ", "فبراير"]),
    (3, &["mar", "mär", "maa", "mrt", "maalis", "már", "bře", "мар", "бер", "μάρ", "μαρ", "مارس"]),
    (4, &["apr", "avr", "abr", "huhti", "ápr", "nis", "kwi", "dub", "апр", "кві", "απρ", "أبريل", "ابريل"]),
    (
        5,
        &[
            "may", "mai", "maj", "mei", "mag", "touko", "máj", "kvě", "май", "мая", "тра", "мај", "μάι", "μαΐ", "μαϊ",
            "مايو",
        ],
    ),
    (
        6,
        &[
            "jun",
            "juin",
            "giu",
            "kesä",
            "juuni",
            "iun",
            "jún",
            "haz",
            "cze",
            "červn",
            "июн",
            "чер",
            "юни",
            "јун",
            "ιού",
            "ιουν",
            "يونيو",
        ],
    ),
    (
        7,
        &[
            "jul",
            "juil",
            "lug",
            "heinä",
            "juuli",
            "iul",
            "júl",
            "tem",
            "lip",
            "červe",
            "июл",
            "лип",
            "юли",
            "јул",
            "ιούλ",
            "ιουλ",
            "يوليو",
        ],
    ),
    (8, &["aug", "aoû", "ago", "elo", "ağu", "agu", "sie", "srp", "авг", "сер", "αύγ", "αυγ", "أغسطس", "اغسطس"]),
    (9, &["sep", "set", "syys", "szep", "eyl", "wrz", "zář", "сен", "вер", "сеп", "σεπ", "سبتمبر"]),
    (10, &["oct", "okt", "out", "ott", "loka", "eki", "paź", "říj", "окт", "жов", "οκτ", "أكتوبر", "اكتوبر"]),
    (11, &["nov", "noi", "marras", "kas", "lis", "лис", "ноя", "ное", "нов", "нοέ", "νοέ", "νοε", "نوفمبر"]),
    (
        12,
        &["dec", "dez", "déc", "dic", "des", "dets", "joul", "ara", "gru", "pro", "дек", "гру", "дец", "δεκ", "ديسمبر"],
    ),
];

/// Days of the week that begin like a month, in lower case: French, Spanish, Italian, Romanian, Dutch, Finnish, Ukrainian.
const WEEKDAYS: &[&str] =
    &["mardi", "martes", "martedì", "martedi", "marți", "marţi", "maandag", "maanantai", "середа", "середу"];

/// The month, 1 to 12, whose name a word is: the longest beginning in the table decides.
pub(crate) fn month_of(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    if WEEKDAYS.contains(&word.as_str()) {
        return None;
    }
    let fitting = MONTHS.iter().flat_map(|(month, names)| names.iter().map(move |name| (*month, *name)));
    fitting.filter(|(_, name)| word.starts_with(name)).max_by_key(|(_, name)| name.len()).map(|(month, _)| month)
}

/// How a text says when something was, relative to now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ago {
    /// So many seconds before.
    Seconds(u64),
    /// So many days before.
    Days(u64),
    /// So many months before.
    Months(u64),
    /// So many years before.
    Years(u64),
}

/// Words of distances into the past, in lower case: before or after the number and its unit.
const MARKERS: &[&str] =
    &["ago", "vor", "il y a", "hace", "há", "fa", "geleden", "sedan", "siden", "назад", "temu", "前", "전", "önce"];

/// Beginnings of the names of units, in lower case, the longer first where one begins another.
const UNITS: &[(Ago, &[&str])] = &[
    (
        Ago::Months(1),
        &[
            "month",
            "monat",
            "mois",
            "meses",
            "mes",
            "mês",
            "mese",
            "mesi",
            "maand",
            "månad",
            "måned",
            "месяц",
            "miesi",
            "个月",
            "個月",
            "ヶ月",
            "か月",
            "개월",
            "ay ",
        ],
    ),
    (Ago::Seconds(60), &["min", "мин", "分", "분", "dakika"]),
    (
        Ago::Seconds(3600),
        &[
            "hour", "hr", "stund", "heure", "hora", "ore", "ora", "uur", "uren", "timm", "time", "час", "godz", "小时",
            "小時", "時間", "시간", "saat",
        ],
    ),
    (
        Ago::Days(7),
        &[
            "week",
            "woche",
            "semaine",
            "semana",
            "settiman",
            "weken",
            "veck",
            "uge",
            "uke",
            "недел",
            "tydz",
            "tygod",
            "周",
            "週",
            "주",
            "hafta",
        ],
    ),
    (
        Ago::Days(1),
        &["day", "tag", "jour", "día", "dia", "giorn", "dag", "дн", "ден", "dzie", "dni", "天", "日", "일", "gün"],
    ),
    (
        Ago::Years(1),
        &["year", "jahr", "an", "año", "ano", "jaar", "jare", "år", "год", "лет", "rok", "lat", "年", "년", "yıl"],
    ),
];

/// Words for today and for yesterday, in lower case.
const TODAY: &[&str] = &[
    "today",
    "heute",
    "aujourd",
    "hoy",
    "hoje",
    "oggi",
    "vandaag",
    "idag",
    "i dag",
    "сегодня",
    "dzisiaj",
    "今天",
    "今日",
    "오늘",
    "bugün",
];
const YESTERDAY: &[&str] = &[
    "yesterday",
    "gestern",
    "hier",
    "ayer",
    "ontem",
    "ieri",
    "gisteren",
    "igår",
    "i går",
    "вчера",
    "wczoraj",
    "昨天",
    "昨日",
    "어제",
    "dün",
];

/// The distance that a short text says, in one of some fifteen languages; `None` if it says none.
pub(crate) fn read_ago(text: &str) -> Option<Ago> {
    let text = text.trim().to_lowercase();
    let begins_with = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
    if begins_with(YESTERDAY) {
        return Some(Ago::Days(1));
    }
    if begins_with(TODAY) {
        return Some(Ago::Days(0));
    }
    let is_marker = |marker: &&&str| {
        let is_letters = marker.chars().all(|c| c.is_alphabetic() && !is_without_spaces(c));
        if is_letters {
            text.split(|c: char| !c.is_alphabetic()).any(|word| word == **marker)
        } else {
            text.contains(**marker)
        }
    };
    MARKERS.iter().find(is_marker)?;
    let at = text.find(|c: char| c.is_ascii_digit())?;
    let digits: String = text[at..].chars().take_while(char::is_ascii_digit).collect();
    let number: u64 = digits.parse().ok().filter(|&number| number < 10_000)?;
    let rest = text[at + digits.len()..].trim_start();
    let (unit, _) = UNITS.iter().find(|(_, names)| names.iter().any(|name| rest.starts_with(name)))?;
    Some(match unit {
        Ago::Seconds(seconds) => Ago::Seconds(seconds * number),
        Ago::Days(days) => Ago::Days(days * number),
        Ago::Months(_) => Ago::Months(number),
        Ago::Years(_) => Ago::Years(number),
    })
}

fn is_without_spaces(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_month_is_told_from_the_others_in_every_language() {
        let years = [
            "January February March April May June July August September October November December",
            "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
            "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
            "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
            "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
            "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
            "januari februari maart april mei juni juli augustus september oktober november december",
            "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta \
             marraskuuta joulukuuta",
            "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
            "január február március április május június július augusztus szeptember október november december",
            "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
            "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
            "ledna února března dubna května června července srpna září října listopadu prosince",
            "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
            "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
            "януари февруари март април май юни юли август септември октомври ноември декември",
            "Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου Δεκεμβρίου",
            "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
        ];
        for year in years {
            for (index, name) in year.split_whitespace().enumerate() {
                assert_eq!(month_of(name), Some(index as u32 + 1), "{name}");
            }
        }
        assert!(WEEKDAYS.iter().all(|day| month_of(day).is_none()));
        assert_eq!(month_of("gulls"), None);
        assert_eq!(month_of(""), None);
    }

    #[test]
    fn distances_are_read_in_several_languages() {
        for (text, expected) in [
            ("3 days ago", Some(Ago::Days(3))),
            ("vor 2 Wochen", Some(Ago::Days(14))),
            ("il y a 5 mois", Some(Ago::Months(5))),
            ("hace 10 minutos", Some(Ago::Seconds(600))),
            ("2 год назад", Some(Ago::Years(2))),
            ("3天前", Some(Ago::Days(3))),
            ("2時間前", Some(Ago::Seconds(7200))),
            ("Yesterday, 10:30", Some(Ago::Days(1))),
            ("heute", Some(Ago::Days(0))),
            ("3 days", None),
            ("long ago", None),
            ("99999999999999999999 days ago", None),
            ("", None),
        ] {
            assert_eq!(read_ago(text), expected, "{text}");
        }
    }
}
