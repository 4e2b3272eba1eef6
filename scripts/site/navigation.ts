/** The pages that the site leads to, in groups; what they link to is on the site too. */
export const navigation: readonly {
  readonly title: string
  readonly pages: readonly (readonly [title: string, file: string])[]
}[] = [
  {
    title: 'Use the network',
    pages: [
      ['Quickstart', 'docs/quickstart.md'],
      ['Submit your first task', 'docs/submit-a-task.md'],
      ['Sign in', 'docs/sign-in.md'],
      ['Gasless actions', 'docs/gasless-actions.md'],
      ['Events and webhooks', 'docs/events.md'],
      ['Verify a result yourself', 'docs/verify-a-result.md'],
      ['The console', 'docs/console.md'],
    ],
  },
  {
    title: 'Work for the network',
    pages: [
      ['Run a device', 'docs/run-a-node.md'],
      ['Become a validator', 'docs/become-a-validator.md'],
      ['Money: rewards, claims, collateral, slashing', 'docs/settlement.md'],
      ['Why there is no work or reward', 'docs/causes/README.md'],
      ['The manual of nodectl', 'node-cli/README.md'],
    ],
  },
  {
    title: 'Publish a project',
    pages: [
      ['Publish a project', 'docs/publish-a-project.md'],
      ['Example modules', 'examples/README.md'],
    ],
  },
  {
    title: 'Build on it',
    pages: [
      ['Where to start', 'docs/build-on-it.md'],
      ['The client for TypeScript', 'sdk/README.md'],
      ['Python', 'examples/python/README.md'],
      ['Node signatures, byte by byte', 'docs/node-signatures.md'],
      ['The protocol', 'protocol/README.md'],
      ['Known answers', 'docs/vectors.md'],
      ['The contracts', 'contracts/README.md'],
    ],
  },
  {
    title: 'Run a hub',
    pages: [
      ['The local network', 'docs/local-network.md'],
      ['Deploy a hub', 'docs/deploy.md'],
      ['Operate a hub', 'docs/operate-a-hub.md'],
      ['Settings', 'docs/settings.md'],
      ['Security', 'docs/security.md'],
      ['Costs', 'docs/costs.md'],
      ['Growing', 'docs/growing.md'],
    ],
  },
  {
    title: 'Look up',
    pages: [
      ['Errors', 'docs/errors/README.md'],
      ['Limits', 'docs/limits.md'],
      ['Versioning', 'docs/versioning.md'],
      ['Changes', 'CHANGELOG.md'],
      ['Glossary', 'docs/glossary.md'],
    ],
  },
]
