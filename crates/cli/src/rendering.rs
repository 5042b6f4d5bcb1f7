//! Starts renderers with the options of the command line.

use clap::Arg;
use vclean_render::{LoadOptions, RenderOptions, Renderer};

/// An option of a verb that renders only with the option `by`: all that render need it, but for the
/// time limit.
pub(super) fn needs_rendering(argument: Arg, by: &'static str) -> Arg {
    let id = argument.get_id().as_str();
    let renders = RenderOptions::NAMES.contains(&id) || LoadOptions::NAMES.contains(&id);
    if renders && id != by && id != "timeout" {
        argument.requires(by)
    } else {
        argument
    }
}

/// Starts the renderer. If the browser that all pages need does not start, prints the error and
/// returns `None`.
///
/// # Errors
/// If the options contradict each other or `--browser` does not name a program: this is wrong
/// usage, not a failed page.
pub(super) fn launch(options: RenderOptions) -> anyhow::Result<Option<Renderer>> {
    options.check()?;
    options.check_browser()?;
    match Renderer::launch(options) {
        Ok(renderer) => Ok(Some(renderer)),
        Err(error) => {
            super::console::complain(&error.to_string());
            Ok(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use vclean_render::EngineChoice;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        render: RenderOptions,
    }

    fn parse(words: &[&str]) -> Result<RenderOptions, clap::Error> {
        Alone::try_parse_from([&["render"], words].concat()).map(|alone| alone.render)
    }

    #[test]
    fn no_arguments_are_the_defaults_of_the_library() {
        assert_eq!(parse(&[]).unwrap(), RenderOptions::default());
        let names: Vec<String> = <Alone as clap::CommandFactory>::command()
            .get_arguments()
            .map(|argument| argument.get_id().to_string())
            .collect();
        let in_json = RenderOptions::NAMES.iter().filter(|name| **name != "tabs");
        assert_eq!(names, in_json.copied().collect::<Vec<_>>());
    }

    #[test]
    fn runs_are_not_resumed_with_another_engine() {
        let arguments = |words: &[&str]| parse(words).unwrap().effective();
        assert_eq!(
            arguments(&[]),
            arguments(&["--engine", "auto", "--fallback", "chromium"])
        );
        assert_ne!(arguments(&[]), arguments(&["--engine", "builtin"]));
        assert_ne!(arguments(&[]), arguments(&["--fallback", "none"]));
    }

    #[test]
    fn memory_has_a_unit_and_is_enough_for_a_page() {
        let memory = |text: &str| {
            parse(&["--browser-memory", text]).map(|render| render.browser_memory_bytes)
        };
        assert_eq!(
            (memory("400MB").unwrap(), memory("1.5gb").unwrap()),
            (400 << 20, 3 << 29)
        );
        for wrong in ["400", "x", "NaNGB", "infGB", "-2GB", "100MB", "1e30GB"] {
            assert!(memory(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn time_limits_are_seconds() {
        let timeout = |text: &str| parse(&["--timeout", text]).map(|it| it.page_timeout_ms());
        assert_eq!(timeout("0.5").unwrap(), 500);
        for wrong in ["0", "-1", "86401", "NaN", "1m"] {
            assert!(timeout(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn engines_have_names() {
        let message = parse(&["--engine", "firefox"]).unwrap_err().to_string();
        for (name, _) in EngineChoice::ALL {
            assert!(message.contains(name), "{message}");
        }
    }
}
