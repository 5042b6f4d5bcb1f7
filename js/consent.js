// Answers the consent dialog of a well-known platform: clicks the platform's own button, and
// nothing else. Each call looks once and clicks at most one button. Called in an isolated world, of
// the main document or of a frame.
//
// Arguments: `accept` or `reject`; the platform whose settings an earlier call has opened, or null;
// true in a frame. Returns null if no platform is there, else an array: `wait` if its button is not
// there (yet), `frame` if its dialog is in a frame, `open` if its settings were opened, or
// `answer`; and the name of the platform.
function consent(choice, opened, isFrame) {
  // Selectors: the dialog or the element with its shadow tree, the buttons that accept and reject
  // all, the one that opens the settings if the dialog has no such button, and those that confirm
  // settings in which nothing is chosen. `script` is a part of the address from which a platform
  // comes, `frame` its frame.
  const PLATFORMS = [
    {
      name: 'OneTrust',
      script: 'otSDKStub',
      dialog: '#onetrust-consent-sdk',
      accept: '#onetrust-accept-btn-handler, #accept-recommended-btn-handler',
      reject: '#onetrust-reject-all-handler, .ot-pc-refuse-all-handler',
      settings: '#onetrust-pc-btn-handler',
      confirm: '.save-preference-btn-handler',
    },
    {
      name: 'Cookiebot',
      script: 'consent.cookiebot.',
      dialog: '#CybotCookiebotDialog',
      accept: '#CybotCookiebotDialogBodyLevelButtonLevelOptinAllowAll, #CybotCookiebotDialogBodyButtonAccept',
      reject: '#CybotCookiebotDialogBodyButtonDecline, #CybotCookiebotDialogBodyLevelButtonLevelOptinDeclineAll',
      settings: '#CybotCookiebotDialogBodyLevelButtonCustomize',
      confirm: '#CybotCookiebotDialogBodyLevelButtonLevelOptinAllowallSelection',
    },
    {
      name: 'Usercentrics',
      script: 'usercentrics.eu',
      dialog: '#usercentrics-root, #usercentrics-cmp-ui',
      accept: '[data-testid=uc-accept-all-button], #accept, button.accept',
      reject: '[data-testid=uc-deny-all-button], #deny, button.deny',
      settings: '[data-testid=uc-more-button], [data-testid=uc-customize-button], #more',
      confirm: '[data-testid=uc-save-button], #save',
    },
    {
      name: 'Didomi',
      script: 'privacy-center.org',
      dialog: '#didomi-host',
      accept: '#didomi-notice-agree-button',
      reject: '#didomi-notice-disagree-button, .didomi-continue-without-agreeing',
    },
    {
      name: 'InMobi Choice',
      script: 'quantcast.mgr.consensu|cmp.inmobi',
      dialog: '#qc-cmp2-container, .qc-cmp2-container',
      accept: '#accept-btn, .qc-cmp2-summary-buttons button[mode=primary]',
      reject: '#disagree-btn, #reject-all-btn',
      settings: '#more-options-btn, .qc-cmp2-summary-buttons button[mode=secondary]',
      confirm: '.qc-cmp2-footer button[mode=primary]:not(#accept-btn, .qc-cmp2-summary-buttons *)',
    },
    {
      name: 'TrustArc',
      script: 'consent.trustarc',
      dialog: '#truste-consent-track, #consent_blackbar, #truste-consent-content',
      frame: 'iframe[src*="trustarc.com"]',
      accept: '#truste-consent-button, .pdynamicbutton .call, .acceptAllButtonLower',
      reject: '#truste-consent-required, .pdynamicbutton .required, .rejectAllButtonLower',
    },
    {
      name: 'Sourcepoint',
      script: 'wrapperMessagingWithoutDetection|sp-prod.net|privacy-mgmt.com',
      frame: 'iframe[id^=sp_message_iframe]',
      accept: '.sp_choice_type_11, .sp_choice_type_ACCEPT_ALL',
      reject: '.sp_choice_type_13, .sp_choice_type_REJECT_ALL',
      settings: '.sp_choice_type_12',
      confirm: '.sp_choice_type_SAVE_AND_EXIT',
    },
    {
      name: 'CookieYes',
      script: 'cookieyes.com',
      dialog: '.cky-consent-container, #cookie-law-info-bar',
      accept: '.cky-btn-accept, #cookie_action_close_header, #wt-cli-accept-all-btn',
      reject: '.cky-btn-reject, #cookie_action_close_header_reject',
      settings: '.cky-btn-customize',
      confirm: '.cky-btn-preferences',
    },
    {
      name: 'Complianz',
      script: 'complianz-gdpr',
      dialog: '.cmplz-cookiebanner',
      accept: '.cmplz-btn.cmplz-accept',
      reject: '.cmplz-btn.cmplz-deny',
      settings: '.cmplz-btn.cmplz-view-preferences',
      confirm: '.cmplz-btn.cmplz-save-preferences',
    },
    {
      name: 'Borlabs Cookie',
      script: 'borlabs-cookie',
      dialog: '#BorlabsCookieBox',
      accept: '[data-cookie-accept-all], ._brlbs-btn-accept-all, .brlbs-btn-accept-all',
      reject: '[data-cookie-refuse], ._brlbs-refuse-btn a, .brlbs-btn-accept-only-essential',
      settings: '[data-cookie-individual], .brlbs-cmpnt-dialog-individual-settings',
      confirm: '#CookiePrefSave, .brlbs-btn-save',
    },
    {
      name: 'Klaro',
      script: '/klaro',
      dialog: '.klaro',
      accept: '.cm-btn-accept-all, .cm-btn-success',
      reject: '.cm-btn-danger, .cm-btn-decline, .cn-decline',
      settings: '.cn-learn-more',
      confirm: '.cm-btn-accept:not(.cm-btn-accept-all)',
    },
    {
      name: 'Osano',
      script: 'cmp.osano.com',
      dialog: '.osano-cm-window',
      accept: '.osano-cm-accept-all, .osano-cm-accept',
      reject: '.osano-cm-denyAll, .osano-cm-deny',
      settings: '.osano-cm-manage',
      confirm: '.osano-cm-save',
    },
    {
      name: 'iubenda',
      script: 'iubenda.com',
      dialog: '#iubenda-cs-banner',
      accept: '.iubenda-cs-accept-btn',
      reject: '.iubenda-cs-reject-btn',
    },
    {
      name: 'Cookie Notice',
      script: 'cookie-notice',
      dialog: '#cookie-notice',
      accept: '#cn-accept-cookie',
      reject: '#cn-refuse-cookie',
    },
    {
      name: 'tarteaucitron',
      script: 'tarteaucitron',
      dialog: '#tarteaucitronRoot',
      accept: '#tarteaucitronPersonalize2, #tarteaucitronAllAllowed',
      reject: '#tarteaucitronAllDenied2, #tarteaucitronAllDenied',
      settings: '#tarteaucitronCloseAlert, #tarteaucitronPersonalize',
    },
    {
      name: 'CookieFirst',
      script: 'cookiefirst.com',
      dialog: '.cookiefirst-root, [data-cookiefirst-widget]',
      accept: '[data-cookiefirst-action=accept]',
      reject: '[data-cookiefirst-action=reject]',
      settings: '[data-cookiefirst-action=adjust]',
      confirm: '[data-cookiefirst-action=save]',
    },
    {
      name: 'consentmanager',
      script: 'consentmanager.net',
      dialog: '#cmpwrapper, #cmpbox',
      accept: '#cmpwelcomebtnyes a, #cmpbntyestxt, .cmpboxbtnyes',
      reject: '#cmpwelcomebtnno a, #cmpbntnotxt, .cmpboxbtnno',
      settings: '#cmpwelcomebtncustom a, .cmpboxbtncustom',
      confirm: '#cmpbntsavetxt, .cmpboxbtnsave',
    },
    {
      name: 'Axeptio',
      script: 'axept.io',
      dialog: '#axeptio_overlay',
      accept: '#axeptio_btn_acceptAll',
      reject: '#axeptio_btn_dismiss',
    },
    {
      name: 'Google Funding Choices',
      script: 'fundingchoicesmessages',
      dialog: '.fc-consent-root',
      accept: '.fc-cta-consent',
      reject: '.fc-cta-do-not-consent',
      settings: '.fc-cta-manage-options',
      confirm: '.fc-confirm-choices',
    },
    {
      name: 'Termly',
      script: 'app.termly.io',
      dialog: '#termly-code-snippet-support',
      accept: '[data-tid=banner-accept]',
      reject: '[data-tid=banner-decline], .t-declineAllButton',
      settings: '.t-preference-button',
      confirm: '.t-saveButton',
    },
  ];

  const treesIn = (root) => [...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => (shadowRoot ? [shadowRoot, ...treesIn(shadowRoot)] : []));
  // The trees in which a platform has its buttons.
  const treesOf = ({ dialog, frame }) => {
    if (isFrame) return frame ? [document] : [];
    return [...document.querySelectorAll(dialog || ':not(*)')]
      .flatMap((one) => [one, ...(one.shadowRoot ? [one.shadowRoot, ...treesIn(one.shadowRoot)] : []), ...treesIn(one)]);
  };
  const isShown = (element) => element && element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const isComing = ({ script }) => script.split('|').some((part) => document.querySelector(`script[src*="${part}"]`));

  let found = null;
  for (const platform of PLATFORMS) {
    const trees = treesOf(platform);
    const shown = (selectors) => (selectors ? trees.flatMap((tree) => [...tree.querySelectorAll(selectors)]).find(isShown) : undefined);
    const answers = opened === platform.name ? [platform.reject, platform.confirm] : [platform[choice]];
    const answer = opened === null || opened === platform.name ? answers.map(shown).find(Boolean) : undefined;
    const settings = choice === 'reject' && opened === null ? shown(platform.settings) : undefined;
    const button = answer || settings;
    if (button) {
      button.click();
      return [answer ? 'answer' : 'open', platform.name];
    }
    if (!isFrame && platform.frame && document.querySelector(platform.frame)) return ['frame', platform.name];
    if (trees.length || (!isFrame && isComing(platform))) found = found || ['wait', platform.name];
  }
  return found;
}
