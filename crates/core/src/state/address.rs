//! Words in the address of a page that tell its state, such as `/login` and `/404.html`.

use crate::classify::PageState;
use url::Url;

/// Words of paths and queries by state. They are English on most sites, whatever their language.
const WORDS: &[(PageState, &str)] = &[
    (
        PageState::Blocked,
        "captcha challenge blocked block human robot denied forbidden sorry",
    ),
    (PageState::Consent, "consent agegate age cookies cookiewall"),
    (
        PageState::Paywall,
        "subscribe subscription paywall abo membership premium",
    ),
    (
        PageState::Login,
        "login signin signup logon  register registration registrar registro join account accounts auth sso \
         password passwort forgot forgotten reset recover  ucp oauth saml anmelden registrieren connexion \
         inscription entrar cadastro acceso rejestracja logowanie giris uye",
    ),
    (
        PageState::Error,
        "404 error errors notfound 403 500 expired unavailable maintenance parked",
    ),
    (
        PageState::Empty,
        "search find results suche recherche buscar contact kontakt contacto guestbook",
    ),
];

/// Number of words in an address that speak for each state, by [`PageState::index`].
pub(super) fn words(address: &str) -> [usize; PageState::ALL.len()] {
    let mut found = [0; PageState::ALL.len()];
    let Ok(url) = Url::parse(address) else {
        return found;
    };
    let host = url.host_str().unwrap_or_default();
    let first = host.split('.').next().unwrap_or_default();
    let whole = format!("{first}/{}?{}", url.path(), url.query().unwrap_or_default());
    let whole = whole.to_ascii_lowercase();
    for word in whole.split(|c: char| !c.is_ascii_alphanumeric()) {
        for (state, words) in WORDS {
            if !word.is_empty() && words.split_ascii_whitespace().any(|known| known == word) {
                found[state.index()] += 1;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_paths_and_of_the_first_part_of_a_host_count() {
        let found = |address: &str, state: PageState| words(address)[state.index()];
        assert_eq!(found("https://login.a.example/x", PageState::Login), 1);
        assert_eq!(
            found("https://a.example/user/password/reset", PageState::Login),
            2
        );
        assert_eq!(found("https://a.example/404.html", PageState::Error), 1);
        assert_eq!(words("https://a.example/2026/blogins"), [0; 8]);
        assert_eq!(words("page.html"), [0; 8]);
    }
}
