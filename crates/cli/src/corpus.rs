//! Options of the filters of a corpus: which documents and passages are dropped or marked.

use super::options::named;
use clap::Args;
use vclean_core::language::{language_tag, primary};
use vclean_run::{CorpusOptions, Treatment};

/// What is dropped or marked beside cleaning. Findings are recorded under `corpus` in JSON lines,
/// Parquet and JSON, and in the folder of the run.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Corpus")]
pub(super) struct CorpusArguments {
    /// What becomes of documents that are near-duplicates of earlier ones (MinHash of word 5-grams,
    /// 14 bands of 8): drop, or mark
    #[arg(long, value_name = "WHAT", value_parser = treatment)]
    near_duplicates: Option<Treatment>,

    /// What becomes of paragraphs over half of whose words are in word 7-grams of earlier text (the
    /// rule of onion): drop, or mark
    #[arg(long, value_name = "WHAT", value_parser = treatment)]
    duplicate_paragraphs: Option<Treatment>,

    /// What becomes of paragraphs, headings and items that many pages of the same host have: drop,
    /// or mark
    #[arg(long, value_name = "WHAT", value_parser = treatment)]
    site_lines: Option<Treatment>,

    /// With --site-lines: the first N pages of a host keep a line
    #[arg(long, value_name = "N", default_value_t = CorpusOptions::SITE_LINE_PAGES, requires = "site_lines",
          value_parser = clap::value_parser!(u8).range(1..=i64::from(CorpusOptions::MAX_SITE_LINE_PAGES)))]
    site_line_pages: u8,

    /// Keep documents in these languages only, by the language of their text: codes of ISO 639,
    /// such as de,fr or deu,fra
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = language)]
    languages: Vec<String>,

    /// Drop documents with fewer words
    #[arg(long, value_name = "N")]
    min_words: Option<usize>,

    /// Drop documents with more words
    #[arg(long, value_name = "N")]
    max_words: Option<usize>,

    /// Size in MB of the tables of --duplicate-paragraphs and --site-lines, each; see
    /// docs/corpus.md
    #[arg(long, value_name = "MB", default_value_t = CorpusOptions::TABLE_MB, value_parser = megabytes)]
    table_mb: usize,

    /// Take inputs for one whose addresses differ only in case, fragment, order of the query,
    /// escapes and tracking parameters (utm_source, gclid, fbclid ...); the first is used
    #[arg(long)]
    normalize_urls: bool,
}

impl CorpusArguments {
    /// Whether a filter looks at the text of documents.
    pub(super) fn looks_at_text(&self) -> bool {
        CorpusOptions {
            normalize_urls: false,
            ..self.options()
        }
        .is_on()
    }

    /// The filters, for the library.
    pub(super) fn options(&self) -> CorpusOptions {
        CorpusOptions {
            near_duplicates: self.near_duplicates,
            duplicate_paragraphs: self.duplicate_paragraphs,
            site_lines: self.site_lines,
            site_line_pages: self.site_line_pages,
            languages: self.languages.clone(),
            min_words: self.min_words,
            max_words: self.max_words,
            table_mb: self.table_mb,
            normalize_urls: self.normalize_urls,
        }
    }
}

fn treatment(name: &str) -> Result<Treatment, String> {
    named(Treatment::ALL, name)
}

/// Codes of ISO 639-1, and of ISO 639-3 for languages that have no other and pages of their own.
const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co \
    cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi \
    ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw \
    ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc \
    oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv \
    sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu \
    als ast bar bcl bho ceb ckb csb dsb frp fur gsw hif hsb ilo kab lad lij lmo ltg min nah nap nds \
    new pam pap pms pnb sah sat sco scn srn szl tet tok tpi tyv udm vec vep war xmf yue";

/// Parses the code of a language (ISO 639-1 or 639-3) into the one by which texts are found: the
/// shortest, and for Norwegian that of Bokmål.
fn language(code: &str) -> Result<String, String> {
    let code = code.trim().to_ascii_lowercase();
    if code.contains(['-', '_']) {
        let primary_code = primary(&code);
        return Err(format!(
            "regions cannot be told from a text; write {primary_code} in place of {code}"
        ));
    }
    let is_listed = |code: &str| {
        LANGUAGES
            .split_ascii_whitespace()
            .any(|known| known == code)
    };
    let tag =
        language_tag(&code).filter(|tag| is_listed(if code.len() == 2 { &code } else { tag }));
    tag.ok_or_else(|| {
        format!("{code} is not the code of a language; write it in two or three letters, such as de or deu")
    })
}

fn megabytes(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(size @ 1..=1_048_576) => Ok(size),
        _ => Err(format!(
            "{text} is not a size; give megabytes from 1 to 1048576, such as 1024"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_codes() {
        assert_eq!(language("DE").as_deref(), Ok("de"));
        assert_eq!(
            ["no", "deu", "uk", "fil", "gsw", "cy"].map(|code| language(code).unwrap()),
            ["nb", "de", "uk", "tl", "gsw", "cy"]
        );
        for unknown in ["german", "", "zz", "ua", "qqq"] {
            assert!(language(unknown).is_err(), "{unknown}");
        }
        assert!(language("pt-BR").unwrap_err().contains("write pt "));
    }
}
