//! Formulas of a page as LaTeX: from MathML, from the output of KaTeX and MathJax, from pictures,
//! and from TeX or AsciiMath in the text.

pub(super) mod asciimath;
pub(super) mod chtml;
pub(super) mod formula;
pub(super) mod katex;
pub(super) mod mathml;
pub(super) mod tex;
