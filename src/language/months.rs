//! The names of months, by their beginnings, for dates that pages write out.

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

/// The month, 1 to 12, whose name a word is: the longest beginning in the table decides.
pub(crate) fn month_of(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    let fitting = MONTHS.iter().flat_map(|(month, names)| names.iter().map(move |name| (*month, *name)));
    fitting.filter(|(_, name)| word.starts_with(name)).max_by_key(|(_, name)| name.len()).map(|(month, _)| month)
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
        assert_eq!(month_of("gulls"), None);
        assert_eq!(month_of(""), None);
    }
}
