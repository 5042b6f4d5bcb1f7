//! Languages as the command line names them: codes of ISO 639.

use vclean_core::language::{language_tag, primary};

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
///
/// # Errors
/// If there is no such code, or no model for the language.
pub fn parse_language(code: &str) -> Result<String, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_codes() {
        assert_eq!(parse_language("DE").as_deref(), Ok("de"));
        assert_eq!(
            ["no", "deu", "uk", "fil", "gsw", "cy"].map(|code| parse_language(code).unwrap()),
            ["nb", "de", "uk", "tl", "gsw", "cy"]
        );
        for unknown in ["german", "", "zz", "ua", "qqq"] {
            assert!(parse_language(unknown).is_err(), "{unknown}");
        }
        assert!(parse_language("pt-BR").unwrap_err().contains("write pt "));
    }
}
