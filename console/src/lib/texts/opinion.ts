import { reportCategories, reportSeverities } from './reports.ts'

/** Of reviews and reports, which somebody who is signed in writes about a project. */
export const opinion = {
  signIn:
    'Owners of devices with counted work for the project can review it, and everybody with a wallet can report it. Sign in for that.',
  noDevice: 'Only owners of devices that work for the project can review it, and this wallet has none.',
  noWork: 'You can review it once a task of your devices has counted: none has yet.',
  review: 'Write a review',
  change: 'Change your review',
  reviewHint: 'Everybody sees it, with the address of your wallet. You can change it later.',
  mayReplace: 'This page has not read all reviews: if you have written one before, this one replaces it.',
  rating: 'Rating',
  of: (rating: number) => `${rating} of 5`,
  comment: 'What others should know (not required)',
  sendReview: 'Publish the review',
  report: 'Report this project',
  reportHint: 'Only operators of the hub read it, with the address of your wallet.',
  category: 'What is wrong?',
  categories: reportCategories,
  severity: 'How bad is it?',
  severities: reportSeverities,
  reason: 'What did you see?',
  sendReport: 'Send the report',
  sent: { review: 'Your review is published.', report: 'Your report is with the operators.' },
  failed: 'This did not work',
  cancel: 'Cancel',
}
