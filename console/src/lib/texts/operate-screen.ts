/** The frame of the page of operators, and of each decision. Its parts are loaded when they are opened. */
export const operateScreen = {
  title: 'Operate',
  lead: 'The decisions of the operators of this hub. Each is in the audit log, with the values before and after it.',
  parts: 'Parts of this page',
  tabs: {
    review: 'Review',
    nodes: 'Nodes',
    reports: 'Reports',
    bans: 'Bans',
    slashes: 'Disputes',
    machine: 'Relayer and index',
    collections: 'Collections',
    faucet: 'Faucet',
    audit: 'Audit log',
  } as Record<string, string>,
  notOperator:
    'This wallet is not an operator of this hub. The setting OPERATOR_ADDRESSES of the hub names its operators.',
  howNamed: 'How a hub is operated',
  done: (title: string) => `Done: ${title}.`,

  decide: {
    why: 'Reason, kept in the audit log',
    optional: '(not required)',
    failed: 'This did not work',
    unknown:
      'The hub may have done it: look at the list before you repeat it. Repeating it does nothing twice.',
    again: 'Try again',
    cancel: 'Cancel',
  },
}
