//! The phrases of comment sections by language: those in Latin script, and the choice among all.

use super::chance::Chance;
use vclean_core::language::primary;

/// Syllables of names in Latin script.
const LATIN: &[&str] = &[
    "ma", "ri", "an", "to", "ke", "lo", "ber", "sa", "dan", "el", "vi", "ka", "jo", "hn", "mi",
    "ste", "fan", "go", "ro", "li", "na", "xu", "wei", "ov", "ski", "son", "er", "gun", "ty", "pa",
    "ul",
];

/// Languages in Latin script whose phrases are known; the first is used for all languages that are
/// not known.
const LANGUAGES: &[Phrases] = &[
    Phrases {
        code: "en",
        captions: &[
            "Comments",
            "Responses",
            "Readers' comments",
            "Discussion",
            "Join the conversation",
            "Thoughts",
            "Reviews",
            "What readers say",
        ],
        actions: &[
            "Reply",
            "Report",
            "Like",
            "Share",
            "Permalink",
            "Quote",
            "Flag",
            "Recommend",
            "Edit",
            "Report abuse",
        ],
        says: &["says:", "said", "wrote:", "on", "commented", "•", "—", ","],
        guests: &["Guest", "Anonymous", "anonymous reader", "Visitor"],
        syllables: LATIN,
        forms: &[
            "Leave a comment",
            "Post a comment",
            "Sign in to comment",
            "Log in or register to post comments",
            "Add your comment",
            "Submit",
            "Your email address will not be published.",
        ],
        orders: &["Newest", "Oldest", "Best", "Most liked"],
        counts: &["replies", "responses", "more comments"],
        pages: &[
            "Previous",
            "Next",
            "Older comments",
            "Newer comments",
            "Load more",
        ],
        related: &[
            "Related stories",
            "You may also like",
            "More from this section",
            "Related articles",
            "Most read",
            "Recommended for you",
            "Trending",
        ],
        more: &["Read more", "Continue reading", "Full story", "More »"],
        months: &[
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ],
    },
    Phrases {
        code: "de",
        captions: &[
            "Kommentare",
            "Leserkommentare",
            "Diskussion",
            "Antworten",
            "Meinungen",
            "Leserbriefe",
        ],
        actions: &[
            "Antworten",
            "Melden",
            "Zitieren",
            "Link",
            "Gefällt mir",
            "Teilen",
        ],
        says: &["sagt:", "schrieb", "schreibt:", "am", "meint:"],
        guests: &["Gast", "anonym", "Leser"],
        syllables: LATIN,
        forms: &[
            "Kommentar schreiben",
            "Schreibe einen Kommentar",
            "Anmelden, um zu kommentieren",
            "Abschicken",
            "Ihre Meinung ist gefragt",
        ],
        orders: &["Neueste", "Älteste", "Beste"],
        counts: &["Antworten", "Kommentare"],
        pages: &["Zurück", "Weiter", "Ältere Kommentare", "Mehr laden"],
        related: &[
            "Mehr zum Thema",
            "Das könnte Sie auch interessieren",
            "Ähnliche Beiträge",
            "Meistgelesen",
            "Weitere Artikel",
        ],
        more: &["Weiterlesen", "mehr", "Zum Artikel"],
        months: &[
            "Januar",
            "Februar",
            "März",
            "April",
            "Mai",
            "Juni",
            "Juli",
            "August",
            "September",
            "Oktober",
            "November",
            "Dezember",
        ],
    },
    Phrases {
        code: "fr",
        captions: &["Commentaires", "Réactions", "Vos réactions", "Réponses"],
        actions: &["Répondre", "Signaler", "Citer", "Partager", "J'aime"],
        says: &["dit :", "a écrit :", "le"],
        guests: &["Invité", "Anonyme", "Visiteur"],
        syllables: LATIN,
        forms: &[
            "Laisser un commentaire",
            "Connectez-vous pour réagir",
            "Envoyer",
            "Ajouter un commentaire",
        ],
        orders: &["Plus récents", "Plus anciens"],
        counts: &["réponses", "commentaires"],
        pages: &["Précédent", "Suivant", "Voir plus"],
        related: &[
            "À lire aussi",
            "Sur le même sujet",
            "Articles similaires",
            "Les plus lus",
        ],
        more: &["Lire la suite", "En savoir plus"],
        months: &[
            "janvier",
            "février",
            "mars",
            "avril",
            "mai",
            "juin",
            "juillet",
            "août",
            "septembre",
            "octobre",
            "novembre",
            "décembre",
        ],
    },
    Phrases {
        code: "es",
        captions: &["Comentarios", "Opiniones", "Respuestas"],
        actions: &["Responder", "Denunciar", "Compartir", "Me gusta"],
        says: &["dice:", "dijo", "escribió:"],
        guests: &["Anónimo", "Invitado"],
        syllables: LATIN,
        forms: &[
            "Deja un comentario",
            "Inicia sesión para comentar",
            "Enviar",
        ],
        orders: &["Más recientes", "Más antiguos"],
        counts: &["respuestas", "comentarios"],
        pages: &["Anterior", "Siguiente", "Ver más"],
        related: &[
            "Noticias relacionadas",
            "También te puede interesar",
            "Lo más leído",
        ],
        more: &["Leer más", "Seguir leyendo"],
        months: &[
            "enero",
            "febrero",
            "marzo",
            "abril",
            "mayo",
            "junio",
            "julio",
            "agosto",
            "septiembre",
            "octubre",
            "noviembre",
            "diciembre",
        ],
    },
    Phrases {
        code: "pl",
        captions: &["Komentarze", "Opinie", "Opinie czytelników", "Dyskusja"],
        actions: &["Odpowiedz", "Zgłoś", "Cytuj", "Lubię to"],
        says: &["napisał:", "pisze:"],
        guests: &["gość", "Anonim", "~anonim"],
        syllables: LATIN,
        forms: &["Dodaj komentarz", "Zaloguj się, aby komentować", "Wyślij"],
        orders: &["najnowsze", "najstarsze", "najlepsze"],
        counts: &["odpowiedzi", "komentarzy"],
        pages: &["Poprzednia", "Następna", "Pokaż więcej"],
        related: &[
            "Zobacz także",
            "Polecamy",
            "Najczęściej czytane",
            "Przeczytaj również",
        ],
        more: &["Czytaj więcej", "więcej"],
        months: &[
            "stycznia",
            "lutego",
            "marca",
            "kwietnia",
            "maja",
            "czerwca",
            "lipca",
            "sierpnia",
            "września",
            "października",
            "listopada",
            "grudnia",
        ],
    },
    Phrases {
        code: "it",
        captions: &["Commenti", "Opinioni", "Risposte"],
        actions: &["Rispondi", "Segnala", "Mi piace"],
        says: &["dice:", "ha scritto:"],
        guests: &["Anonimo", "Ospite"],
        syllables: LATIN,
        forms: &["Lascia un commento", "Accedi per commentare", "Invia"],
        orders: &["Più recenti", "Meno recenti"],
        counts: &["risposte", "commenti"],
        pages: &["Precedente", "Successivo", "Mostra altri"],
        related: &["Leggi anche", "Articoli correlati", "I più letti"],
        more: &["Leggi tutto", "Continua a leggere"],
        months: &[
            "gennaio",
            "febbraio",
            "marzo",
            "aprile",
            "maggio",
            "giugno",
            "luglio",
            "agosto",
            "settembre",
            "ottobre",
            "novembre",
            "dicembre",
        ],
    },
    Phrases {
        code: "pt",
        captions: &["Comentários", "Opiniões", "Respostas"],
        actions: &["Responder", "Denunciar", "Curtir"],
        says: &["disse:", "escreveu:"],
        guests: &["Anônimo", "Visitante"],
        syllables: LATIN,
        forms: &["Deixe um comentário", "Entre para comentar", "Enviar"],
        orders: &["Mais recentes", "Mais antigos"],
        counts: &["respostas", "comentários"],
        pages: &["Anterior", "Próximo", "Ver mais"],
        related: &["Leia também", "Mais lidas", "Veja também"],
        more: &["Leia mais", "Continue lendo"],
        months: &[
            "janeiro",
            "fevereiro",
            "março",
            "abril",
            "maio",
            "junho",
            "julho",
            "agosto",
            "setembro",
            "outubro",
            "novembro",
            "dezembro",
        ],
    },
    Phrases {
        code: "nl",
        captions: &["Reacties", "Uw reactie", "Discussie"],
        actions: &["Reageer", "Beantwoorden", "Meld misbruik", "Citeer"],
        says: &["schreef:", "zegt:", "op"],
        guests: &["Gast", "Anoniem"],
        syllables: LATIN,
        forms: &[
            "Laat een reactie achter",
            "Log in om te reageren",
            "Verzenden",
        ],
        orders: &["Nieuwste", "Oudste"],
        counts: &["reacties", "antwoorden"],
        pages: &["Vorige", "Volgende", "Toon meer"],
        related: &["Lees ook", "Meest gelezen", "Gerelateerde artikelen"],
        more: &["Lees meer", "Lees verder"],
        months: &[
            "januari",
            "februari",
            "maart",
            "april",
            "mei",
            "juni",
            "juli",
            "augustus",
            "september",
            "oktober",
            "november",
            "december",
        ],
    },
];

fn all() -> impl Iterator<Item = &'static Phrases> {
    LANGUAGES.iter().chain(OTHER_SCRIPTS)
}

/// The phrases of a language, given as a BCP 47 tag; English ones if there are none.
pub(super) fn phrases(lang: &str) -> &'static Phrases {
    all()
        .find(|phrases| phrases.code == primary(lang))
        .unwrap_or(&LANGUAGES[0])
}

/// Whether words of a language are written without spaces between them.
pub(super) fn is_unspaced(lang: &str) -> bool {
    matches!(primary(lang), "zh" | "ja")
}

// The words that a comment section has besides the comments, in one language.

/// What a comment section says in one language.
#[derive(Debug)]
pub(super) struct Phrases {
    /// Two-letter code.
    pub(super) code: &'static str,
    /// Headings of the section.
    pub(super) captions: &'static [&'static str],
    /// Links under a comment.
    pub(super) actions: &'static [&'static str],
    /// Between the author and the date or the comment; may be empty.
    pub(super) says: &'static [&'static str],
    /// Names of readers who gave none.
    pub(super) guests: &'static [&'static str],
    /// Syllables of readers' names.
    pub(super) syllables: &'static [&'static str],
    /// What asks for a comment: titles and buttons of forms, and lines that ask to sign in.
    pub(super) forms: &'static [&'static str],
    /// Orders in which comments can be sorted.
    pub(super) orders: &'static [&'static str],
    /// What follows a number of answers or of pages.
    pub(super) counts: &'static [&'static str],
    /// Links to the pages before and after.
    pub(super) pages: &'static [&'static str],
    /// Headings of lists of related stories.
    pub(super) related: &'static [&'static str],
    /// Links to the whole of a story.
    pub(super) more: &'static [&'static str],
    /// Names of the months, or none where dates are written in digits only.
    pub(super) months: &'static [&'static str],
}

// The phrases of comment sections in languages that are not written in Latin script.

/// Languages whose phrases are known.
pub(super) const OTHER_SCRIPTS: &[Phrases] = &[
    Phrases {
        code: "ru",
        captions: &[
            "Комментарии",
            "Обсуждение",
            "Отзывы",
            "Комментарии читателей",
        ],
        actions: &["Ответить", "Пожаловаться", "Цитировать", "Нравится"],
        says: &["пишет:", "написал:", "говорит:"],
        guests: &["Гость", "Аноним"],
        syllables: &[
            "ма", "ри", "ан", "то", "ке", "ло", "са", "дан", "ви", "ка", "ми", "сте", "ро", "ли",
            "на", "ов", "ский", "ев", "па", "ул",
        ],
        forms: &[
            "Оставить комментарий",
            "Войдите, чтобы комментировать",
            "Отправить",
        ],
        orders: &["Новые", "Старые", "Лучшие"],
        counts: &["ответов", "комментариев"],
        pages: &["Назад", "Далее", "Показать ещё"],
        related: &[
            "Читайте также",
            "Похожие материалы",
            "Самое читаемое",
            "По теме",
        ],
        more: &["Читать далее", "Подробнее"],
        months: &[
            "января",
            "февраля",
            "марта",
            "апреля",
            "мая",
            "июня",
            "июля",
            "августа",
            "сентября",
            "октября",
            "ноября",
            "декабря",
        ],
    },
    Phrases {
        code: "el",
        captions: &["Σχόλια", "Σχόλια αναγνωστών", "Συζήτηση"],
        actions: &["Απάντηση", "Αναφορά", "Μου αρέσει"],
        says: &["είπε:", "έγραψε:"],
        guests: &["Ανώνυμος", "Επισκέπτης"],
        syllables: &[
            "μα", "ρι", "αν", "το", "κα", "λο", "γιω", "νι", "πα", "στα", "δη", "μη", "τρης", "κο",
            "σα", "ης", "ος", "ου", "λα",
        ],
        forms: &[
            "Αφήστε ένα σχόλιο",
            "Συνδεθείτε για να σχολιάσετε",
            "Αποστολή",
        ],
        orders: &["Νεότερα", "Παλαιότερα"],
        counts: &["απαντήσεις", "σχόλια"],
        pages: &["Προηγούμενη", "Επόμενη"],
        related: &["Διαβάστε επίσης", "Σχετικά άρθρα", "Δημοφιλή"],
        more: &["Διαβάστε περισσότερα", "Περισσότερα"],
        months: &[
            "Ιανουαρίου",
            "Φεβρουαρίου",
            "Μαρτίου",
            "Απριλίου",
            "Μαΐου",
            "Ιουνίου",
            "Ιουλίου",
            "Αυγούστου",
            "Σεπτεμβρίου",
            "Οκτωβρίου",
            "Νοεμβρίου",
            "Δεκεμβρίου",
        ],
    },
    Phrases {
        code: "zh",
        captions: &["评论", "网友评论", "全部评论", "最新评论", "热门评论"],
        actions: &["回复", "举报", "支持", "反对", "顶", "分享"],
        says: &["说：", "发表于", "评论道："],
        guests: &["匿名", "游客", "网友", "手机用户"],
        syllables: &[
            "小", "明", "老", "王", "李", "风", "云", "天", "水", "大", "海", "星", "月", "飞",
            "雪", "龙", "山", "子",
        ],
        forms: &["发表评论", "登录后参与评论", "提交", "我来说两句"],
        orders: &["最新", "最早", "最热"],
        counts: &["条回复", "条评论"],
        pages: &["上一页", "下一页", "查看更多"],
        related: &["相关新闻", "相关阅读", "推荐阅读", "热门文章", "猜你喜欢"],
        more: &["阅读全文", "查看详情", "更多"],
        months: &[],
    },
    Phrases {
        code: "ja",
        captions: &["コメント", "みんなのコメント", "コメント一覧"],
        actions: &["返信", "通報", "いいね", "引用"],
        says: &["より:", "さん", "："],
        guests: &["匿名", "名無しさん", "ゲスト"],
        syllables: &[
            "た", "か", "し", "ゆ", "み", "は", "る", "な", "の", "さ", "く", "ら", "あ", "き",
            "ま", "も", "り",
        ],
        forms: &["コメントを投稿する", "ログインしてコメント", "送信"],
        orders: &["新しい順", "古い順"],
        counts: &["件の返信", "件のコメント"],
        pages: &["前へ", "次へ", "もっと見る"],
        related: &["関連記事", "おすすめ記事", "人気記事"],
        more: &["続きを読む", "もっと見る"],
        months: &[],
    },
];

// Names of readers and dates of their comments.

/// A reader's name: first and last name, a user name with or without digits, a first name, or none.
pub(super) fn reader_name(phrases: &Phrases, chance: &mut Chance) -> String {
    let mut word =
        |count: usize| -> String { (0..count).map(|_| chance.pick(phrases.syllables)).collect() };
    let (first, last, longer) = (word(2), word(2), word(3));
    match chance.number(0..=9) {
        0..=3 if is_unspaced(phrases.code) => longer,
        0..=3 => format!(
            "{} {}",
            capital(&first),
            capital(if chance.happens(0.5) { &last } else { &longer })
        ),
        4..=6 => {
            let joint = chance.pick(&["", "", "_", "-", "."]);
            let digits = if chance.happens(0.5) {
                chance.number(1..=2020).to_string()
            } else {
                String::new()
            };
            format!("{last}{joint}{digits}")
                .trim_end_matches(['_', '-', '.'])
                .to_owned()
        }
        7..=8 => capital(&first),
        _ => (chance.pick(phrases.guests)).to_owned(),
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// The form of all dates of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DateForm {
    /// `7.03.2012, 9:05`
    Dots,
    /// `2012-03-07 09:05`
    Standard,
    /// `7/3/2012`
    Slashes,
    /// `March 7, 2012 at 9:05 am` in English, `7. March 2012, 9:05` in languages whose months are
    /// known.
    Words,
    /// `9:05`
    Time,
    /// `3 days ago`, in English only.
    Ago,
}

impl DateForm {
    const ALL: &[Self] = &[
        Self::Dots,
        Self::Standard,
        Self::Slashes,
        Self::Words,
        Self::Words,
        Self::Time,
        Self::Ago,
    ];

    /// Draws the form of a section.
    pub(super) fn draw(chance: &mut Chance) -> Self {
        chance.pick(Self::ALL)
    }

    /// Draws a date.
    pub(super) fn date(self, phrases: &Phrases, chance: &mut Chance) -> String {
        let (day, month, year) = (
            chance.number(1..=28),
            chance.number(1..=12),
            chance.number(2004..=2025),
        );
        let (hour, minute) = (chance.number(0..=23), chance.number(0..=59));
        let is_english = phrases.code == "en";
        match (self, phrases.months.get(month - 1)) {
            (Self::Dots, _) => format!("{day}.{month:02}.{year}, {hour}:{minute:02}"),
            (Self::Standard, _) => format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}"),
            (Self::Words, Some(name)) if is_english => {
                let half = if hour < 12 { "am" } else { "pm" };
                format!(
                    "{name} {day}, {year} at {}:{minute:02} {half}",
                    (hour + 11) % 12 + 1
                )
            }
            (Self::Words, Some(name)) if phrases.code == "de" => {
                format!("{day}. {name} {year} um {hour}:{minute:02}")
            }
            (Self::Words, Some(name)) => format!("{day} {name} {year}, {hour}:{minute:02}"),
            (Self::Words, None) => format!("{year}年{month}月{day}日 {hour}:{minute:02}"),
            (Self::Time, _) => format!("{hour}:{minute:02}"),
            (Self::Ago, _) if is_english => {
                format!(
                    "{} {} ago",
                    chance.number(2..=11),
                    chance.pick(&["hours", "days", "months", "years"])
                )
            }
            (Self::Slashes | Self::Ago, _) => format!("{day}/{month}/{year}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_phrase() {
        for one in all() {
            let lists = [
                one.captions,
                one.actions,
                one.says,
                one.guests,
                one.syllables,
                one.forms,
                one.orders,
                one.counts,
                one.pages,
                one.related,
                one.more,
            ];
            assert!(lists.iter().all(|list| !list.is_empty()), "{}", one.code);
            assert!([0, 12].contains(&one.months.len()), "{}", one.code);
        }
        assert_eq!(
            (
                phrases("de-AT").code,
                phrases("zh-TW").code,
                phrases("xx").code
            ),
            ("de", "zh", "en")
        );
    }

    #[test]
    fn names_and_dates_are_never_empty() {
        for lang in ["en", "de", "zh", "ru", "fi"] {
            let mut chance = Chance::of_page(3, lang, "");
            for _ in 0..50 {
                let name = reader_name(phrases(lang), &mut chance);
                let date = DateForm::draw(&mut chance).date(phrases(lang), &mut chance);
                assert!(
                    !name.trim().is_empty()
                        && date.contains(|letter: char| letter.is_ascii_digit()),
                    "{name} {date}"
                );
            }
        }
    }

    #[test]
    fn dates_are_written_in_the_language() {
        let date = |lang| DateForm::Words.date(phrases(lang), &mut Chance::of_page(1, "", ""));
        assert!(
            date("zh").contains('年') && date("en").contains(" at ") && date("de").contains(" um ")
        );
    }
}
