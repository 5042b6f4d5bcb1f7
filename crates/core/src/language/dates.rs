//! Words of dates in many languages: month names, also shortened, and relative dates such as
//! `3 days ago`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The names of months in lower case, one row per language or variant: English, German, French,
/// Spanish, Portuguese, Italian, Catalan, Dutch, Swedish, Danish and Norwegian, Finnish, Estonian,
/// Romanian, Hungarian, Turkish, Indonesian, Polish, Czech, Slovak, Russian, Ukrainian, Bulgarian,
/// Serbian, Greek, Arabic, Hindi. Croatian is left out, because its October is the Polish November.
/// If two months begin alike, their first three letters mean the earlier one.
const MONTHS: &[&str] = &[
    "january february march april may june july august september october november december",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "jänner feber maerz april mai juno julei august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "enero febrero marzo abril mayo junio julio agosto setiembre octubre noviembre diciembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "gener febrer març abril maig juny juliol agost setembre octubre novembre desembre",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "januari februari mars april maj juni juli augusti september oktober november december",
    "januar februar marts april maj juni juli august september oktober november desember",
    "tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu",
    "jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember",
    "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "január február március április május június július augusztus szeptember október november december",
    "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
    "januari februari maret april mei juni juli agustus september oktober november desember",
    "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "leden únor březen duben květen červen červenec srpen září říjen listopad prosinec",
    "ledna února března dubna května června července srpna září října listopadu prosince",
    "január február marec apríl máj jún júl august september október november december",
    "januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra",
    "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "січень лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень",
    "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    "януари февруари март април май юни юли август септември октомври ноември декември",
    "јануар фебруар март април мај јун јул август септембар октобар новембар децембар",
    "januar februar mart april maj jun jul avgust septembar oktobar novembar decembar",
    "ιανουάριος φεβρουάριος μάρτιος απρίλιος μάιος ιούνιος ιούλιος αύγουστος σεπτέμβριος οκτώβριος νοέμβριος δεκέμβριος",
    "ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου",
    "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "يناير فبراير مارس ابريل مايو يونيه يوليه اغسطس سبتمبر اكتوبر نوفمبر ديسمبر",
    "जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर",
    // Short names with more or fewer than three letters, and those that two months share.
    "janv févr mrt avri μαϊ juin juil aoû sept okto noie dece",
    "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu",
    "янв февр мар апр мая июн июл авг сент окт нояб дек",
    "ιαν febr márc ápr máj ιουν ιουλ αυγ szept οκτ νοε dets",
];

/// The month of each name of [`MONTHS`]; the earlier one, if a name is that of two.
static MONTH_OF_NAME: LazyLock<BTreeMap<&str, u32>> = LazyLock::new(|| {
    let mut months = BTreeMap::new();
    let names = MONTHS.iter().flat_map(|row| (1..).zip(row.split(' ')));
    for (month, name) in names {
        let known = months.entry(name).or_insert(month);
        *known = month.min(*known);
    }
    months
});

/// The month, 1 to 12, that a word names: by its full name, its first three letters, or the name
/// with an ending of up to three more letters.
pub(crate) fn month_of(word: &str) -> Option<u32> {
    const SHORT_CHARS: usize = 3;
    const MIN_CHARS_BEFORE_ENDING: usize = 6;
    const MAX_CHARS_OF_ENDING: usize = 3;
    let word = word.to_lowercase();
    if let Some(month) = MONTH_OF_NAME.get(word.as_str()) {
        return Some(*month);
    }
    let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
    if ends.len() == SHORT_CHARS {
        return MONTH_OF_NAME
            .range(word.as_str()..)
            .take_while(|(name, _)| name.starts_with(&word))
            .map(|(_, month)| *month)
            .min();
    }
    let shortest = MIN_CHARS_BEFORE_ENDING.max(ends.len().saturating_sub(MAX_CHARS_OF_ENDING));
    let names = ends.iter().skip(shortest).map(|end| &word[..*end]);
    names
        .filter_map(|name| MONTH_OF_NAME.get(name))
        .min()
        .copied()
}

/// Time span from a date to now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ago {
    Seconds(u64),
    Days(u64),
    Months(u64),
    Years(u64),
}

/// Words that mark a relative date, in lower case; they stand before or after the number and unit.
const MARKERS: &[&str] = &[
    "ago",
    "vor",
    "il y a",
    "hace",
    "há",
    "fa",
    "geleden",
    "sedan",
    "siden",
    "назад",
    "temu",
    "前",
    "전",
    "önce",
];

/// Beginnings of the names of units, in lower case; if one begins with another, the longer is
/// first.
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
            "hour", "hr", "stund", "heure", "hora", "ore", "ora", "uur", "uren", "timm", "time",
            "час", "godz", "小时", "小時", "時間", "시간", "saat",
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
        &[
            "day", "tag", "jour", "día", "dia", "giorn", "dag", "дн", "ден", "dzie", "dni", "天",
            "日", "일", "gün",
        ],
    ),
    (
        Ago::Years(1),
        &[
            "year", "jahr", "an", "año", "ano", "jaar", "jare", "år", "год", "лет", "rok", "lat",
            "年", "년", "yıl",
        ],
    ),
];

/// Words for "today", in lower case.
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

/// Parses the relative date in a short text, in one of some fifteen languages; `None` if there is
/// none.
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
        let is_letters = marker
            .chars()
            .all(|c| c.is_alphabetic() && !is_without_spaces(c));
        if is_letters {
            text.split(|c: char| !c.is_alphabetic())
                .any(|word| word == **marker)
        } else {
            text.contains(**marker)
        }
    };
    MARKERS.iter().find(is_marker)?;
    let at = text.find(|c: char| c.is_ascii_digit())?;
    let digits: String = text[at..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let number: u64 = digits.parse().ok().filter(|&number| number < 10_000)?;
    let rest = text[at + digits.len()..].trim_start();
    let (unit, _) = UNITS
        .iter()
        .find(|(_, names)| names.iter().any(|name| rest.starts_with(name)))?;
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
        for row in MONTHS {
            let names: Vec<&str> = row.split(' ').collect();
            assert_eq!(names.len(), 12, "{row}");
            let months = names.iter().filter_map(|name| month_of(name));
            assert_eq!(
                months.collect::<Vec<_>>(),
                (1..=12).collect::<Vec<_>>(),
                "{row}"
            );
        }
        for (word, month) in [
            ("Feb", 2),
            ("lis", 11),
            ("Sept", 9),
            ("toukokuuta", 5),
            ("lokakuussa", 10),
            ("мар", 3),
        ] {
            assert_eq!(month_of(word), Some(month), "{word}");
        }
        for word in [
            "mardi",
            "martes",
            "martedì",
            "marți",
            "maandag",
            "maanantai",
            "середа",
            "Listen",
            "Market",
            "Project",
        ] {
            assert_eq!(month_of(word), None, "{word}");
        }
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
