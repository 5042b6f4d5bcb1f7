// The toolbar button and its keyboard shortcut open the reader in a tab beside the page. The click
// gives the extension access to that page only, and the reader then describes it.
const api = globalThis.browser ?? globalThis.chrome;

api.action.onClicked.addListener((tab) => {
  const address = new URL(api.runtime.getURL('reader.html'));
  address.searchParams.set('tab', tab.id);
  api.tabs.create({ url: address.href, index: tab.index + 1, openerTabId: tab.id });
});
