//! Applies the caller's options to a tab: window, user agent and languages of the browser, and,
//! only for the page's host, headers, cookies and local storage. The tab is not used for another
//! page afterwards.

use super::requests::{OwnHeaders, every_request};
use super::tab::{QUICK, Tab};
use crate::load::{LoadOptions, OwnHost};
use serde_json::{Value, json};
use std::time::Instant;
use url::Url;
use vclean_core::error::RenderError;

const STORE: &str = vclean_js::STORE;

/// Returns the user agent of a phone's browser, of the same product as the tab's own.
fn phone_user_agent(user_agent: &str) -> String {
    let product = user_agent
        .split("Chrome/")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .unwrap_or("140.0.0.0");
    format!(
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{product} Mobile Safari/537.36"
    )
}

/// Sets window, user agent and languages.
pub(super) fn set_device(
    tab: &mut Tab,
    load: &LoadOptions,
    viewport_px: [u32; 2],
) -> Result<(), RenderError> {
    tab.set_viewport(viewport_px)?;
    if load.mobile {
        tab.setting(
            "Emulation.setTouchEmulationEnabled",
            &json!({ "enabled": true, "maxTouchPoints": 5 }),
        )?;
    }
    if !load.mobile && load.user_agent.is_none() && load.accept_language.is_none() {
        return Ok(());
    }
    let own = tab.user_agent().to_owned();
    let user_agent = match &load.user_agent {
        Some(user_agent) => user_agent.as_str().to_owned(),
        None if load.mobile => phone_user_agent(&own),
        None => own,
    };
    let mut params = json!({ "userAgent": user_agent });
    if let Some(languages) = &load.accept_language {
        // The browser derives the preferences from the order.
        let names = languages
            .as_str()
            .split(',')
            .filter_map(|language| language.split(';').next());
        params["acceptLanguage"] = names.map(str::trim).collect::<Vec<_>>().join(",").into();
    }
    if load.mobile {
        params["platform"] = "Linux armv8l".into();
        params["userAgentMetadata"] = json!({
            "platform": "Android", "platformVersion": "10.0.0", "architecture": "", "model": "K", "mobile": true,
        });
    }
    tab.setting("Emulation.setUserAgentOverride", &params)
}

/// Sets headers, cookies and local storage for the host of the page.
pub(super) fn give(tab: &mut Tab, load: &LoadOptions, address: &str) -> Result<(), RenderError> {
    let url = Url::parse(address).ok();
    let Some((url, own)) = url
        .and_then(|url| Some((OwnHost::from_url(&url)?, url)))
        .map(|(own, url)| (url, own))
    else {
        return Ok(());
    };
    // The cache of this tab may contain pages of another caller.
    tab.setting(
        "Network.setCacheDisabled",
        &json!({ "cacheDisabled": true }),
    )?;
    let entries = load
        .storage_state
        .as_ref()
        .map_or_else(Vec::new, |state| state.entries_for(&url));
    if !entries.is_empty() {
        let entries: Vec<[&str; 2]> = entries
            .iter()
            .map(|entry| [&*entry.name, entry.value.reveal()])
            .collect();
        store(tab, &url, &json!(entries))?;
    }
    let cookies = cookies(load, &own, &url)?;
    if !cookies.is_empty() {
        tab.setting("Network.setCookies", &json!({ "cookies": cookies }))?;
    }
    let headers: Vec<(String, String)> = load.sent_headers().collect();
    if !headers.is_empty() {
        tab.setting("Fetch.enable", &json!({ "patterns": [every_request()] }))?;
        tab.own_headers = Some(OwnHeaders::new(own, headers));
    }
    Ok(())
}

/// Builds the cookies for the browser. Without a domain, a cookie belongs to the host alone.
fn cookies(load: &LoadOptions, own: &OwnHost, url: &Url) -> Result<Vec<Value>, RenderError> {
    let address = &url[..url::Position::BeforePath];
    let of_caller = load.sent_cookies()?.into_iter().map(|cookie| {
        json!({
            "name": cookie.name, "value": cookie.value.reveal(), "url": address, "path": "/",
            "secure": url.scheme() == "https",
        })
    });
    let stored = load
        .storage_state
        .as_ref()
        .map_or_else(Vec::new, |state| state.cookies_for(own, url));
    let stored = stored.into_iter().map(|cookie| {
        let mut value = json!({
            "name": cookie.name, "value": cookie.value.reveal(), "url": address, "path": cookie.path,
            "secure": cookie.secure, "httpOnly": cookie.http_only,
        });
        if let Some(same_site) = cookie.same_site {
            value["sameSite"] = same_site.name().into();
        }
        if cookie.expires >= 0 {
            value["expires"] = cookie.expires.into();
        }
        value
    });
    // Cookies that the caller names replace those of the file.
    Ok(stored.chain(of_caller).collect())
}

/// Fills the local storage of the origin of `url`. Only a page of the origin can do this: an empty
/// one, which is not requested from the server.
fn store(tab: &mut Tab, url: &Url, entries: &Value) -> Result<(), RenderError> {
    tab.serves_empty_page = true;
    tab.setting("Fetch.enable", &json!({ "patterns": [every_request()] }))?;
    let origin = format!("{}/", &url[..url::Position::BeforePath]);
    tab.call::<Value>(
        "Page.navigate",
        &json!({ "url": origin }),
        "filling the local storage",
        QUICK,
    )?;
    tab.wait(Instant::now() + QUICK, |events| events.loaded)?;
    let frame = tab.events.frame.clone();
    let world = tab.world(&frame)?;
    tab.function::<u64>(
        world,
        STORE,
        &[json!({ "value": entries })],
        "filling the local storage",
        QUICK,
    )?;
    tab.setting("Fetch.disable", &json!({}))?;
    tab.serves_empty_page = false;
    tab.events.reset();
    tab.setting("Page.resetNavigationHistory", &json!({}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phone_has_the_version_of_the_browser() {
        let own = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36";
        let phone = phone_user_agent(own);
        assert!(
            phone.contains("Chrome/141.0.0.0 Mobile") && phone.contains("Android"),
            "{phone}"
        );
        assert!(phone_user_agent("x").contains("Mobile"));
    }

    #[test]
    fn cookies_belong_to_the_host_alone() {
        let url = Url::parse("https://www.a.example:8443/x?y").unwrap();
        let own = OwnHost::from_url(&url).unwrap();
        let load: LoadOptions = serde_json::from_str(
            r#"{"cookies": {"a": "1"}, "headers": {"cookie": "b=2; c=3"}, "storage_state": {"cookies": [
                {"name": "d", "value": "4", "domain": ".a.example", "expires": 4102444800, "sameSite": "Lax"},
                {"name": "e", "value": "5", "domain": "b.example"}]}}"#,
        )
        .unwrap();
        let cookies = cookies(&load, &own, &url).unwrap();
        let names: Vec<&str> = cookies
            .iter()
            .filter_map(|cookie| cookie["name"].as_str())
            .collect();
        assert_eq!(names, ["d", "a", "b", "c"]);
        for cookie in &cookies {
            assert!(
                cookie["domain"].is_null() && cookie["url"] == "https://www.a.example:8443",
                "{cookie}"
            );
        }
        assert_eq!(
            (&cookies[0]["expires"], &cookies[0]["sameSite"]),
            (&json!(4_102_444_800_i64), &json!("Lax"))
        );
        assert_eq!(
            load.sent_headers().count(),
            0,
            "a header with cookies is no header for the browser"
        );
    }
}
