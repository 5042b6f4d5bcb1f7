// The button and the key open the reader beside the page. The page is described by the reader, to which the click has given
// access to that page alone.
const api = globalThis.browser ?? globalThis.chrome;

api.action.onClicked.addListener((tab) => {
  const address = new URL(api.runtime.getURL('reader.html'));
  address.searchParams.set('tab', tab.id);
  api.tabs.create({ url: address.href, index: tab.index + 1, openerTabId: tab.id });
});
