import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { ProviderName } from '../auth/oidc.ts'

/** Who somebody says they are on a provider's page. What is left empty is made from the address, the same each time. */
export const Persona = z.object({
  email: z.string().max(320).default(''),
  name: z.string().max(400).default(''),
  sub: z.string().max(300).default(''),
  tid: z.string().max(300).default(''),
  oid: z.string().max(300).default(''),
  email_verified: z.enum(['true', 'false']).default('true'),
})
export type Persona = z.infer<typeof Persona>

export const demoTenant = '3f1c9b52-6f0e-4d2a-9a57-0c4b8d1e7a10'

/** People a visitor of the page can be by one click. */
export const people: Record<ProviderName, { persona: Partial<Persona>; what: string }[]> = {
  google: [
    { persona: { email: 'noa@example.com', name: 'Noa Lindqvist' }, what: 'a newcomer' },
    { persona: { email: 'engineer@northwind.example', name: 'Dana Reyes' }, what: 'has a password here already' },
    { persona: { email: 'una@example.com', name: 'Una Berger', email_verified: 'false' }, what: 'her address is not verified' },
  ],
  microsoft: [
    { persona: { email: 'noa@example.com', name: 'Noa Lindqvist' }, what: 'a newcomer' },
    { persona: { email: 'mika@contoso.example', name: 'Mika Aalto' }, what: 'a newcomer of another company' },
    { persona: { email: 'engineer@northwind.example', name: 'Dana Reyes' }, what: 'has a password here already' },
  ],
}

/** The claims each provider makes of a person. */
export function claimsOf(provider: ProviderName, { email, name, sub, tid, oid, email_verified }: Persona): Record<string, unknown> {
  const digest = createHash('sha256').update(`${provider} ${email.toLowerCase()}`).digest('hex')
  const shown = { ...(email ? { email } : {}), ...(name ? { name } : {}) }
  if (provider === 'google') {
    const digits = BigInt(`0x${digest.slice(0, 17)}`)
      .toString()
      .padStart(21, '1')
    return { sub: sub || digits, ...shown, ...(email ? { email_verified: email_verified === 'true' } : {}) }
  }
  const uuid = [8, 4, 4, 4, 12].reduce<[string[], number]>(([parts, at], n) => [[...parts, digest.slice(at, at + n)], at + n], [[], 0])[0]
  // A Microsoft `sub` differs from app to app, which is why nobody should key on it alone.
  const object = oid || uuid.join('-')
  return { sub: sub || digest.slice(0, 43), tid: tid || demoTenant, oid: object, ...shown, preferred_username: email || name, ver: '2.0' }
}
