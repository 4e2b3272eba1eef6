/** Texts of the header, which every screen has, and of the parts that only signed-in people see. */
export const account = {
  signIn: 'Sign in',
  signInAgain: 'Sign in again',
  signOut: 'Sign out',
  account: 'Account',
  menu: {
    mine: 'My devices',
    run: 'Run a device',
    build: 'Build',
    operate: 'Operate',
    other: 'Add a wallet',
    use: (name: string) => `Use ${name}`,
  },
  gate: {
    title: 'Sign in to see this',
    hint: 'You prove with a signature that an address is yours. It costs nothing, sends no transaction, and gives nobody access to your tokens.',
  },
  ended: 'Your session has ended. Your input stays here.',
}
