/** The frame of the page of developers, whose parts are loaded when they are opened. */
export const buildScreen = {
  title: 'Build',
  lead: 'Projects, keys and webhooks of the wallet that is signed in.',
  guide: 'From a module to a listed project',
  parts: 'Parts of this page',
  tabs: { projects: 'Projects', drafts: 'Drafts', keys: 'API keys', webhooks: 'Webhooks' } as Record<
    string,
    string
  >,
}
