/** The decisions of operators about a project. */
export const decisionTexts = {
  titles: {
    approve: (name: string) => `Approve “${name}”`,
    reject: (name: string) => `Reject “${name}”`,
    pause: (name: string) => `Pause “${name}”`,
    resume: (name: string) => `Resume “${name}”`,
    delist: (name: string) => `Remove “${name}” from the catalogue`,
  },
  actions: {
    approve: 'Approve',
    reject: 'Reject',
    pause: 'Pause',
    resume: 'Resume',
    delist: 'Remove',
  },
  done: {
    approve: (name: string) => `“${name}” is approved.`,
    reject: (name: string) => `“${name}” is rejected.`,
    pause: (name: string) => `“${name}” is paused.`,
    resume: (name: string) => `“${name}” is listed again.`,
    delist: (name: string) => `“${name}” is removed from the catalogue.`,
  },
  effects: {
    approve: ['Everybody sees the project in the catalogue.', 'Devices can work for it, and tasks begin.'],
    reject: ['The project does not appear in the catalogue, and its developer reads the reason.'],
    pause: ['No new round begins. Earned rewards stay, and owners can take their collateral back.'],
    resume: ['The project is listed again, and rounds begin.'],
    delist: [
      'The project leaves the catalogue, and no new round begins.',
      'Earned rewards stay, and owners can take their collateral back.',
    ],
  },
  undo: {
    approve: 'You can pause or remove it afterwards.',
    reject: 'This cannot be undone: the decision is final for this project.',
    pause: 'You can resume it at any time.',
    resume: 'You can pause it again at any time.',
    delist: 'This cannot be undone.',
  },
  reason: 'Reason, which the developer reads',
  condition: 'Condition for the developer, shown with the project',
}
