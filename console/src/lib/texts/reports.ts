/** What a report says of a project, for who writes it and for operators. */
export const reportCategories = {
  scam: 'Scam',
  malware: 'Malware',
  economics: 'Economics',
  impersonation: 'Impersonation',
  spam: 'Spam',
  other: 'Something else',
}

export const reportSeverities = { low: 'Low', medium: 'Medium', high: 'High' }
