//! Values of options by their names in a table.

/// The value with this `name` in a table of `kind`; an unknown name gives an error that lists the known ones.
pub(super) fn named<T: Copy>(kind: &str, table: &[(&str, T)], name: &str) -> Result<T, String> {
    table.iter().find(|(known, _)| *known == name).map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
        format!("there is no {kind} {name}, choose one of {}", names.join(", "))
    })
}

/// The entries with these `names` in a table of `kind`, in the table's order; `all` selects every entry.
///
/// # Errors
/// If a name is unknown.
#[cfg(feature = "experiments")]
pub(super) fn named_all<T>(
    kind: &str,
    table: impl Iterator<Item = &'static T> + Clone,
    name_of: fn(&T) -> &'static str,
    names: &[String],
) -> anyhow::Result<Vec<&'static T>> {
    if let Some(unknown) =
        names.iter().find(|name| *name != "all" && !table.clone().any(|entry| name_of(entry) == **name))
    {
        let known: Vec<&str> = table.map(name_of).collect();
        anyhow::bail!("there is no {kind} {unknown}, choose all or some of {}", known.join(", "));
    }
    let is_named = |entry: &&T| names.iter().any(|name| name == "all" || name == name_of(entry));
    Ok(table.filter(is_named).collect())
}
