//! Tests of the definition of the command line, and of the options that messages name.

use super::console::verbs;
use super::*;
use regex::Regex;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use vclean_run::crawl::CrawlOptions;
use vclean_run::politeness::PolitenessOptions;

#[test]
fn the_command_line_definition_is_valid() {
    Arguments::command().debug_assert();
}

#[test]
fn every_verb_shows_an_example() {
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    for verb in verbs(&program) {
        let help = verb
            .get_after_help()
            .map(ToString::to_string)
            .unwrap_or_default();
        assert!(
            help.contains(verb.get_bin_name().unwrap_or_default()),
            "{} has no example",
            verb.get_name()
        );
        assert!(
            verb.get_about().is_some(),
            "{} has no description",
            verb.get_name()
        );
    }
}

#[test]
fn the_short_help_has_the_common_options() {
    let mut whole = Arguments::command();
    for name in ["clean", "render-and-clean", "crawl"] {
        let verb = whole.find_subcommand_mut(name).unwrap();
        let (short, long) = (
            verb.render_help().to_string(),
            verb.render_long_help().to_string(),
        );
        let lines = |help: &str| help.lines().count();
        assert!(
            lines(&short) < 90 && lines(&long) > lines(&short) + 80,
            "{short}"
        );
        assert!(
            short.contains("--format")
                && !short.contains("--metrics")
                && long.contains("--metrics"),
            "{short}"
        );
    }
}

/// The groups of options that verbs share, with their headings.
fn groups() -> Vec<(&'static str, clap::Command)> {
    use clap::Args as _;
    let empty = || clap::Command::new("group");
    let groups = vec![
        ("Batch", options::BatchArguments::augment_args(empty())),
        ("Output", vclean_run::OutputOptions::augment_args(empty())),
        ("Output", pictures::PictureArguments::augment_args(empty())),
        ("Politeness", PolitenessOptions::augment_args(empty())),
        (
            "Rendering",
            vclean_render::RenderOptions::augment_args(empty()),
        ),
        ("Batch", vclean_render::TimeLimit::augment_args(empty())),
        ("Crawl", CrawlOptions::augment_args(empty())),
        ("Loading", vclean_render::LoadOptions::augment_args(empty())),
    ];
    let options = vclean_core::pipeline::Options::augment_args(empty());
    let cleaning = ["Method", "Model", "Text", "Output"].map(|heading| {
        let group = options
            .get_arguments()
            .filter(|argument| argument.get_help_heading() == Some(heading));
        (heading, group.cloned().fold(empty(), clap::Command::arg))
    });
    let groups = [groups, cleaning.to_vec()].concat();
    #[cfg(feature = "lab")]
    let groups = [groups, super::lab::groups()].concat();
    groups
}

#[test]
fn every_option_has_the_heading_of_its_group() {
    // Options of one verb that belong to a group by their purpose.
    let own = [
        ("render-and-clean", "render", "Rendering"),
        ("render-and-clean", "min_expected_f", "Rendering"),
        ("render-and-clean", "follow_pages", "Rendering"),
        ("render-and-clean", "keep_captures", "Output"),
        ("crawl", "render", "Rendering"),
        ("crawl", "min_expected_f", "Rendering"),
        ("crawl", "follow_pages", "Rendering"),
        ("crawl", "keep_captures", "Output"),
        ("crawl", "out_layout", "Output"),
        ("map", "format", "Output"),
        ("train", "beside", "Classifier"),
        ("train", "then", "Classifier"),
    ];
    let groups = groups();
    let resuming = <vclean_run::Resuming as clap::Args>::augment_args(clap::Command::new("group"));
    for verb in verbs(&Arguments::command()) {
        let has = |other: &clap::Arg| {
            verb.get_arguments()
                .any(|option| option.get_id() == other.get_id())
        };
        let is_used = |(_, group): &&(&str, clap::Command)| group.get_arguments().all(has);
        for option in verb
            .get_arguments()
            .filter(|argument| !argument.is_positional())
        {
            let is_same = |other: &clap::Arg| {
                other.get_id() == option.get_id()
                    && other.get_help().map(ToString::to_string)
                        == option.get_help().map(ToString::to_string)
            };
            let mut used = groups.iter().filter(is_used);
            let shared = used.find_map(|(_, group)| group.get_arguments().find(|it| is_same(it)));
            let is_own = |(name, id, _): &&(&str, &str, &str)| {
                *name == verb.get_name() && option.get_id() == *id
            };
            // These stand with the output that they are about.
            if resuming.get_arguments().any(is_same) {
                let out = verb
                    .get_arguments()
                    .find(|option| *option.get_id() == "out");
                assert_eq!(
                    option.get_help_heading(),
                    out.and_then(clap::Arg::get_help_heading),
                    "{}",
                    verb.get_name()
                );
                continue;
            }
            let expected = own
                .iter()
                .find(is_own)
                .map(|own| own.2)
                .or(shared.and_then(clap::Arg::get_help_heading));
            assert_eq!(
                option.get_help_heading(),
                expected,
                "{} --{}",
                verb.get_name(),
                option.get_id()
            );
        }
    }
}

#[test]
fn addresses_are_named_where_they_are_taken() {
    let takes = |verb: &str| {
        let program = Arguments::command();
        let mut verbs = verbs(&program).into_iter();
        let verb = verbs.find(|other| other.get_name() == verb).unwrap();
        verb.get_positionals().any(|inputs| {
            inputs
                .get_help()
                .is_some_and(|help| help.to_string().contains("http"))
        })
    };
    assert!(!takes("clean") && !takes("features"));
    assert!(
        ["render-and-clean", "render", "crawl", "map"]
            .into_iter()
            .all(takes)
    );
}

#[test]
fn every_option_is_explained() {
    for verb in verbs(&Arguments::command()) {
        for argument in verb.get_arguments() {
            assert!(
                argument.get_help().is_some(),
                "{} {} has no help",
                verb.get_name(),
                argument.get_id()
            );
        }
    }
}

#[test]
fn wrong_usage_is_one_and_help_is_zero() {
    let code = |words: &[&str]| format!("{:?}", main(words.iter().map(OsString::from)));
    let zero = format!("{:?}", ExitCode::SUCCESS);
    let one = format!("{:?}", ExitCode::from(WRONG_USAGE));
    assert_eq!(code(&["vclean", "--version"]), zero);
    assert_eq!(code(&["vclean", "clean", "--help"]), zero);
    assert_eq!(code(&["vclean"]), zero);
    assert_eq!(code(&["vclean", "clean"]), one);
    assert_eq!(code(&["vclean", "clean", "--format", "pdf", "x.html"]), one);
    assert_eq!(
        code(&["vclean", "clean", "--from", "/nowhere/list.txt"]),
        one
    );
}

#[test]
fn a_page_without_a_verb_is_rendered_and_cleaned() {
    let verb = |words: &[&str]| {
        let words = [&["vclean"], words].concat();
        let all = with_verb(words.iter().map(OsString::from).collect());
        let added = all
            .iter()
            .find(|word| !words.iter().any(|known| known == word));
        added.map(|word| word.to_str().unwrap().to_owned())
    };
    let render = Some("render-and-clean".to_owned());
    assert_eq!(verb(&["https://a.example", "--links"]), render);
    assert_eq!(verb(&["--links", "https://a.example"]), render);
    assert_eq!(verb(&["--config", "vclean.toml", "page.html"]), render);
    assert_eq!(verb(&["-"]), Some("clean".to_owned()));
    for other in [
        &["clean", "page.html"][..],
        &["--help"],
        &["-V"],
        &["claen"],
        &["help"],
    ] {
        assert_eq!(verb(other), None, "{other:?}");
    }
}

#[test]
fn inputs_are_told_from_misspelled_verbs() {
    assert!(
        ["page.html", "https://example.org", "/tmp", "crawl.warc.gz"]
            .iter()
            .all(|input| verb_for(input).is_some())
    );
    assert_eq!((verb_for("-"), verb_for("claen")), (Some("clean"), None));
}

#[test]
fn language_models_are_told_commands_that_exist() {
    let skill = fs::read_to_string(
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("packaging/SKILL.md"),
    )
    .unwrap();
    let word = Regex::new(r#""([^"]*)"|(\S+)"#).expect("a valid pattern");
    let command =
        Regex::new("(?m)^(vclean .*)$|`(vclean [a-z-]+ [^`]+)`").expect("a valid pattern");
    let mut verbs = BTreeSet::new();
    for found in command.captures_iter(&skill) {
        let line = found
            .get(1)
            .or_else(|| found.get(2))
            .map_or("", |line| line.as_str());
        let words: Vec<&str> = word
            .captures_iter(line)
            .filter_map(|found| {
                found
                    .get(1)
                    .or_else(|| found.get(2))
                    .map(|word| word.as_str())
            })
            .collect();
        Arguments::try_parse_from(&words).unwrap_or_else(|error| panic!("{line}: {error}"));
        verbs.insert(words[1].to_owned());
    }
    assert!(
        ["clean", "crawl", "explain", "map", "render-and-clean"]
            .iter()
            .all(|verb| verbs.contains(*verb)),
        "{verbs:?}"
    );
}

/// The Markdown files below a folder.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            documents(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

/// The commands `vclean ...` in the shell examples of a document.
fn shell_commands(text: &str) -> Vec<Vec<String>> {
    let word = Regex::new(r#""([^"]*)"|'([^']*)'|([^\s"']+)"#).expect("a valid pattern");
    let mut is_shell = false;
    let mut commands = Vec::new();
    for line in text.lines() {
        if let Some(language) = line.trim().strip_prefix("```") {
            is_shell = !is_shell && matches!(language, "sh" | "bash");
            continue;
        }
        if !is_shell {
            continue;
        }
        let mut command: Option<Vec<String>> = None;
        let mut is_first = true;
        for found in word.captures_iter(line) {
            let quoted = found.get(1).or_else(|| found.get(2));
            let plain = found.get(3).map_or("", |word| word.as_str());
            if plain.starts_with('#') {
                break;
            }
            let is_end = matches!(plain, "|" | "&&" | "&" | ";") || plain.starts_with(['>', '<']);
            if is_end {
                commands.extend(command.take());
            } else if let Some(words) = &mut command {
                words.push(quoted.map_or(plain, |word| word.as_str()).to_owned());
            } else if is_first && plain == "vclean" {
                command = Some(vec![plain.to_owned()]);
            }
            is_first = is_end;
        }
        commands.extend(command);
    }
    commands
}

#[test]
fn the_commands_of_documents_exist() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut files = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    documents(&root.join("docs"), &mut files);
    let (mut count, mut wrong) = (0, Vec::new());
    for file in files {
        for command in shell_commands(&fs::read_to_string(&file).unwrap()) {
            count += 1;
            let words = with_verb(command.iter().map(OsString::from).collect());
            if let Err(error) = Arguments::try_parse_from(words)
                && error.kind() != ErrorKind::DisplayHelp
                && error.kind() != ErrorKind::DisplayVersion
                // Some values are files, which a reader has.
                && !error.to_string().contains("No such file")
            {
                wrong.push(format!(
                    "{}: {}: {error}",
                    file.display(),
                    command.join(" ")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 60, "{count} commands are found");
}

#[test]
fn the_pages_that_language_models_are_sent_to_exist() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let text = fs::read_to_string(root.join("llms.txt")).unwrap();
    let link = Regex::new(r"\]\(([^)]+)\)").expect("a valid pattern");
    let links: Vec<&str> = link
        .captures_iter(&text)
        .filter_map(|found| found.get(1))
        .map(|link| link.as_str())
        .collect();
    assert!(
        links.len() > 10 && links.iter().all(|link| root.join(link).is_file()),
        "{links:?}"
    );
}

/// Options of other programs, and those that clap adds.
const OTHERS: &[&str] = &["help", "version", "pipe", "round-robin", "data-binary"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder)
        .expect("the sources of the project are there")
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_option_that_a_message_names_exists() {
    let program = Arguments::command();
    let options: BTreeSet<String> = verbs(&program)
        .into_iter()
        .flat_map(clap::Command::get_arguments)
        .chain(program.get_arguments())
        .filter_map(|option| option.get_long().map(str::to_owned))
        .collect();
    assert!(options.contains("out"), "the options are found");
    // In messages of the library an option is a name in backticks; one word may also be an element
    // of HTML.
    let flag = Regex::new(r#"(?:^|[\s("\[])--([a-z][a-z0-9-]*[a-z0-9])"#).expect("a valid pattern");
    let name = Regex::new("`([a-z]+(?:_[a-z]+)+)`").expect("a valid pattern");
    let mut files = Vec::new();
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    sources(&root.join("src"), &mut files);
    sources(&root.join("crates"), &mut files);
    let mut unknown: Vec<String> = Vec::new();
    for path in files {
        let shown = path.to_string_lossy().replace('\\', "/");
        // The browser has options of its own.
        let is_browser = shown.contains("/render/src/chromium/");
        let text = fs::read_to_string(&path).expect("the sources of the project are text");
        for line in text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            let flags = flag
                .captures_iter(line)
                .map(|found| found[1].to_owned())
                .filter(|_| !is_browser);
            let names = name
                .captures_iter(line)
                .map(|found| found[1].replace('_', "-"));
            for option in flags.chain(names) {
                // Our own properties of style sheets are written alike.
                let is_property = option.starts_with("vclean-");
                let is_known =
                    is_property || options.contains(&option) || OTHERS.contains(&option.as_str());
                if !is_known {
                    unknown.push(format!("{shown}: {option}"));
                }
            }
        }
    }
    // A test's own command line, and the boundary of a MIME message.
    unknown.retain(|found| {
        !found.ends_with("cli/src/console.rs: any-engine--any-engine")
            && !found.ends_with("page/mhtml_head.rs: x-1")
    });
    assert!(unknown.is_empty(), "{unknown:#?}");
}
