import type { DashboardState, DemoUser } from '#local/dashboard/state.ts'
import type { CurrentCode } from '#local/dashboard/totp-codes.ts'
import { createClient } from '../../../client/client.ts'
import { actionButton, element, getById } from './element.ts'
import { send } from './server.ts'

/** Show the demo users, each with a button that signs in, and the codes of authenticator apps. */
export async function renderUsers({ users, api }: DashboardState): Promise<void> {
  const codes = await send<CurrentCode[]>('GET', '/desk/totp')
  getById('detail').replaceChildren(
    element('h2', {}, 'Sign in'),
    users.length > 0
      ? element('ul', {}, ...users.map((user) => renderUser(user, api)))
      : element('p', {}, 'There are no demo users.'),
    element('p', {}, element('a', { href: '/sign-in' }, 'Sign in with a local Google or Microsoft')),
    ...(codes.length > 0 ? [element('h2', {}, 'Codes of authenticator apps'), renderCodes(codes)] : []),
  )
}

function renderUser(user: DemoUser, api: string): HTMLElement {
  const result = element('div')
  const signIn = async () => {
    const client = createClient({ baseUrl: api })
    const answer = await client.identity.auth.login({ email: user.email, password: user.password })
    if (!('access_token' in answer))
      throw new Error('This user has a second factor. Use the password and a code.')
    const token = element(
      'textarea',
      { readonly: true, rows: 3, 'aria-label': `Access token of ${user.email}` },
      answer.access_token,
    )
    result.replaceChildren(
      token,
      actionButton('Copy', () => navigator.clipboard.writeText(answer.access_token)),
    )
  }
  return element(
    'li',
    {},
    element(
      'div',
      { class: 'row' },
      actionButton('Sign in', signIn, { 'aria-label': `Sign in as ${user.email}` }),
      element('b', {}, user.email),
      element('span', { class: 'small' }, user.description),
    ),
    result,
  )
}

function renderCodes(codes: readonly CurrentCode[]): HTMLElement {
  return element(
    'dl',
    {},
    ...codes.flatMap(({ email, code }) => [
      element('dt', {}, email),
      element('dd', {}, element('code', {}, code)),
    ]),
  )
}
