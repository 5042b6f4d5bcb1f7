//! Signatures of systems that answer with a page of their own: challenges, consent platforms,
//! paywalls, parked domains, error pages of servers and shops.
//!
//! Most of these systems also leave their marks on pages with text, so a signature is a column and
//! a reason. Some marks are only in pages that a system serves in place of others: they decide.

use super::matcher::Matcher;
use crate::capture::Dom;
use crate::classify::PageState;
use crate::text::excerpt;
use std::sync::LazyLock;

/// A mark of a system in the source of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signature {
    pub(super) state: PageState,
    /// Name of the system, for the reason.
    pub(super) system: &'static str,
    /// Part of an attribute or of a script, in lower case.
    needle: &'static str,
    /// True if no page with text has it.
    pub(super) is_decisive: bool,
}

const fn mark(state: PageState, system: &'static str, needle: &'static str) -> Signature {
    Signature {
        state,
        system,
        needle,
        is_decisive: false,
    }
}

/// A mark that no page with text has.
const fn sole(state: PageState, system: &'static str, needle: &'static str) -> Signature {
    Signature {
        is_decisive: true,
        ..mark(state, system, needle)
    }
}

use PageState::{Blocked, Consent, Empty, Error, Login, Paywall, Shell};

/// All signatures. Sources: the pages that these systems serve, looked at in `nopage` (train), and
/// their documentation.
pub(super) const SIGNATURES: &[Signature] = &[
    sole(Blocked, "Cloudflare", "_cf_chl_opt"),
    mark(Blocked, "Cloudflare", "challenge-form"),
    sole(Blocked, "Cloudflare", "cf-error-details"),
    sole(Blocked, "Cloudflare", "cf-browser-verification"),
    mark(Blocked, "Cloudflare", "cf-challenge"),
    mark(Blocked, "Cloudflare", "/cdn-cgi/challenge-platform/h/"),
    sole(Blocked, "PerimeterX", "px-captcha"),
    mark(Blocked, "PerimeterX", "_pxappid"),
    sole(Blocked, "DataDome", "captcha-delivery.com"),
    mark(Blocked, "Imperva", "_incapsula_resource"),
    sole(Blocked, "Akamai", "sec-if-cpt"),
    mark(Blocked, "Akamai", "bm-verify"),
    sole(Blocked, "AWS WAF", "gokuprops"),
    mark(Blocked, "AWS WAF", "awswafintegration"),
    mark(Blocked, "Sucuri", "sucuri_cloudproxy"),
    mark(Blocked, "Sucuri", "sucuri-page"),
    mark(Blocked, "StackPath", "sbtsck"),
    sole(Blocked, "Amazon", "validatecaptcha"),
    mark(Blocked, "GeeTest", "geetest"),
    mark(Blocked, "hCaptcha", "hcaptcha.com"),
    mark(Blocked, "Turnstile", "cf-turnstile"),
    mark(Blocked, "reCAPTCHA", "g-recaptcha"),
    mark(Blocked, "Google", "captcha-form"),
    sole(Consent, "Google", "consent.google"),
    sole(Consent, "Google", "consent.youtube"),
    mark(Consent, "Yahoo", "consent-form"),
    mark(Consent, "Yahoo", "guce."),
    mark(Consent, "OneTrust", "onetrust"),
    mark(Consent, "Cookiebot", "cybotcookiebot"),
    mark(Consent, "Usercentrics", "usercentrics"),
    mark(Consent, "Didomi", "didomi"),
    mark(Consent, "Quantcast", "qc-cmp"),
    mark(Consent, "Sourcepoint", "sp_message"),
    mark(Consent, "an age gate", "age-gate"),
    mark(Consent, "an age gate", "agegate"),
    mark(Consent, "an age gate", "age-verification"),
    mark(Paywall, "Piano", "tinypass"),
    mark(Paywall, "Piano", "tp-modal"),
    mark(Paywall, "a paywall", "paywall"),
    mark(Paywall, "a paywall", "regwall"),
    mark(Paywall, "a paywall", "subscribe-wall"),
    mark(Paywall, "a paywall", "premium-content"),
    mark(Paywall, "a paywall", "meteredcontent"),
    mark(Paywall, "a paywall", "subscription-required"),
    mark(Login, "WordPress", "wp-submit"),
    mark(Login, "a login", "login-form"),
    mark(Login, "a login", "loginform"),
    mark(Login, "a login", "login_form"),
    mark(Login, "a login", "signin"),
    mark(Login, "a registration", "register-form"),
    mark(Login, "a registration", "signup"),
    sole(Login, "SAML", "samlrequest"),
    mark(Error, "an error page", "error404"),
    mark(Error, "an error page", "error-404"),
    mark(Error, "an error page", "page-404"),
    mark(Error, "an error page", "not-found"),
    mark(Error, "an error page", "notfound"),
    mark(Error, "an error page", "error-page"),
    mark(Error, "an error page", "errorpage"),
    mark(Error, "an error page", "error-content"),
    mark(Error, "a maintenance page", "maintenance"),
    sole(Error, "a parked domain", "sedoparking"),
    sole(Error, "a parked domain", "parkingcrew"),
    mark(Error, "a parked domain", "bodis.com"),
    sole(Error, "a parked domain", "parklogic"),
    mark(Error, "a parked domain", "hugedomains"),
    mark(Error, "a parked domain", "afternic"),
    mark(Error, "a parked domain", "domainpark"),
    mark(Error, "a parked domain", "domain_park"),
    mark(Empty, "a search", "no-results"),
    mark(Empty, "a search", "noresults"),
    mark(Empty, "a search", "no_results"),
    sole(Empty, "a search", "search-no-results"),
    mark(Empty, "a search", "empty-state"),
    mark(Empty, "a form", "contact-form"),
    mark(Shell, "React", "react-root"),
    mark(Shell, "Next.js", "__next"),
    mark(Shell, "Nuxt", "__nuxt"),
    mark(Shell, "Angular", "app-root"),
    mark(Shell, "Angular", "ng-app"),
    mark(Shell, "Angular", "ng-cloak"),
    mark(Shell, "Vue", "v-cloak"),
    mark(Shell, "Ember", "ember-application"),
];

/// Attributes that are searched, of all elements.
const NAMES: [&str; 3] = ["id", "class", "name"];
/// Attributes that are searched of elements that load or send something. Links are not: they name
/// other pages.
const ADDRESSES: [&str; 2] = ["src", "action"];
/// Bytes of a script that are searched. Heuristic: configurations stand at its beginning.
const SCRIPT_BYTES: usize = 4096;
/// Scripts that are searched, to bound the work.
const SCRIPTS: usize = 24;
/// Bytes of an attribute that are searched.
const ATTRIBUTE_BYTES: usize = 256;
/// Bytes of attributes and scripts that are searched, to bound the work.
const SOURCE_BYTES: usize = 200_000;

/// Finds the signatures of a page, in the order of [`SIGNATURES`].
pub(super) fn find(dom: &Dom) -> Vec<Signature> {
    static MATCHER: LazyLock<Matcher> = LazyLock::new(|| {
        let needles = SIGNATURES.iter().map(|signature| signature.needle);
        Matcher::new(needles.collect())
    });
    let mut is_found = [false; SIGNATURES.len()];
    let source = source(dom);
    MATCHER.each(&source, |index, _| is_found[index] = true);
    SIGNATURES
        .iter()
        .zip(is_found)
        .filter(|(_, is_found)| *is_found)
        .map(|(signature, _)| *signature)
        .collect()
}

/// The searched attributes and beginnings of scripts of a page, in lower case.
fn source(dom: &Dom) -> String {
    let mut source = String::new();
    let mut scripts = 0;
    for id in dom.ids().filter(|&id| dom.is_element(id)) {
        if source.len() > SOURCE_BYTES {
            break;
        }
        let loads = matches!(dom.tag(id), "script" | "iframe" | "form" | "frame");
        for (name, value) in dom.attributes(id).iter() {
            if NAMES.contains(&name) || (loads && ADDRESSES.contains(&name)) {
                source.push_str(excerpt(value, ATTRIBUTE_BYTES));
                source.push(' ');
            }
        }
        if dom.tag(id) == "script" && scripts < SCRIPTS {
            scripts += 1;
            for text in dom.children(id).filter_map(|child| dom.text(child)) {
                source.push_str(excerpt(text, SCRIPT_BYTES));
                source.push(' ');
            }
        }
    }
    source.make_ascii_lowercase();
    source
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    #[test]
    fn signatures_are_found_in_attributes_and_scripts_but_not_in_links_and_texts() {
        let html = "<body class='page Error404'><script>window._cf_chl_opt={}</script>\
                    <a href='/paywall'>age-gate</a><iframe src='https://geo.captcha-delivery.com/c'></iframe>";
        let systems: Vec<&str> = find(&parse_html(html))
            .iter()
            .map(|signature| signature.system)
            .collect();
        assert_eq!(systems, ["Cloudflare", "DataDome", "an error page"]);
    }

    #[test]
    fn signatures_are_in_lower_case_and_long_enough_to_be_found() {
        for signature in SIGNATURES {
            assert_eq!(signature.needle, signature.needle.to_ascii_lowercase());
            assert!(signature.needle.len() > 3, "{}", signature.needle);
        }
    }
}
