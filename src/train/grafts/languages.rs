//! The phrases of comment sections by language: those in Latin script, and the choice among all.

use super::language::Phrases;
use super::other_scripts::OTHER_SCRIPTS;
use crate::language::primary;

/// Syllables of names in Latin script.
const LATIN: &[&str] = &[
    "ma", "ri", "an", "to", "ke", "lo", "ber", "sa", "dan", "el", "vi", "ka", "jo", "hn", "mi", "ste", "fan", "go",
    "ro", "li", "na", "xu", "wei", "ov", "ski", "son", "er", "gun", "ty", "pa", "ul",
];

/// Languages in Latin script whose phrases are known; the first is used for all languages that are not known.
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
        pages: &["Previous", "Next", "Older comments", "Newer comments", "Load more"],
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
        captions: &["Kommentare", "Leserkommentare", "Diskussion", "Antworten", "Meinungen", "Leserbriefe"],
        actions: &["Antworten", "Melden", "Zitieren", "Link", "Gefällt mir", "Teilen"],
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
        forms: &["Laisser un commentaire", "Connectez-vous pour réagir", "Envoyer", "Ajouter un commentaire"],
        orders: &["Plus récents", "Plus anciens"],
        counts: &["réponses", "commentaires"],
        pages: &["Précédent", "Suivant", "Voir plus"],
        related: &["À lire aussi", "Sur le même sujet", "Articles similaires", "Les plus lus"],
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
        forms: &["Deja un comentario", "Inicia sesión para comentar", "Enviar"],
        orders: &["Más recientes", "Más antiguos"],
        counts: &["respuestas", "comentarios"],
        pages: &["Anterior", "Siguiente", "Ver más"],
        related: &["Noticias relacionadas", "También te puede interesar", "Lo más leído"],
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
        related: &["Zobacz także", "Polecamy", "Najczęściej czytane", "Przeczytaj również"],
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
        forms: &["Laat een reactie achter", "Log in om te reageren", "Verzenden"],
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
    all().find(|phrases| phrases.code == primary(lang)).unwrap_or(&LANGUAGES[0])
}

/// Whether words of a language are written without spaces between them.
pub(super) fn is_unspaced(lang: &str) -> bool {
    matches!(primary(lang), "zh" | "ja")
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
        assert_eq!((phrases("de-AT").code, phrases("zh-TW").code, phrases("xx").code), ("de", "zh", "en"));
    }
}
