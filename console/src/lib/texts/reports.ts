/** The categories of reports about a project, for reporters and operators. */
export const reportCategories = {
  scam: 'Scam',
  malware: 'Malware',
  economics: 'Economics',
  impersonation: 'Impersonation',
  spam: 'Spam',
  other: 'Something else',
}

export const reportSeverities = { low: 'Low', medium: 'Medium', high: 'High' }
