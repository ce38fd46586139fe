import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { ProviderName } from '#vendors/auth/oidc.ts'

/**
 * The identity that a person submits on a provider's page. Empty ids are derived from the e-mail address,
 * always in the same way.
 */
export const Persona = z.object({
  email: z.string().max(320).default(''),
  name: z.string().max(400).default(''),
  sub: z.string().max(300).default(''),
  tid: z.string().max(300).default(''),
  oid: z.string().max(300).default(''),
  email_verified: z.enum(['true', 'false']).default('true'),
})
export type Persona = z.infer<typeof Persona>

export const demoTenantId = '3f1c9b52-6f0e-4d2a-9a57-0c4b8d1e7a10'

/** The identities that the page offers as buttons. */
export const personas: Record<ProviderName, { persona: Partial<Persona>; description: string }[]> = {
  google: [
    { persona: { email: 'noa@example.com', name: 'Noa Lindqvist' }, description: 'a new user' },
    {
      persona: { email: 'engineer@northwind.example', name: 'Dana Reyes' },
      description: 'already has a password',
    },
    {
      persona: { email: 'una@example.com', name: 'Una Berger', email_verified: 'false' },
      description: 'with an unverified e-mail address',
    },
  ],
  microsoft: [
    { persona: { email: 'noa@example.com', name: 'Noa Lindqvist' }, description: 'a new user' },
    {
      persona: { email: 'mika@contoso.example', name: 'Mika Aalto' },
      description: 'a new user of another company',
    },
    {
      persona: { email: 'engineer@northwind.example', name: 'Dana Reyes' },
      description: 'already has a password',
    },
  ],
}

/** Build the claims of an ID token as each provider does. */
export function buildClaims(
  provider: ProviderName,
  { email, name, sub, tid, oid, email_verified }: Persona,
): Record<string, unknown> {
  const digest = createHash('sha256').update(`${provider} ${email.toLowerCase()}`).digest('hex')
  const profile = { ...(email ? { email } : {}), ...(name ? { name } : {}) }
  switch (provider) {
    case 'google': {
      const digits = BigInt(`0x${digest.slice(0, 17)}`)
        .toString()
        .padStart(21, '1')
      return {
        sub: sub || digits,
        ...profile,
        ...(email ? { email_verified: email_verified === 'true' } : {}),
      }
    }
    case 'microsoft': {
      const uuid = digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')
      // Microsoft issues another `sub` to every app, so `sub` alone must not identify a user.
      return {
        sub: sub || digest.slice(0, 43),
        tid: tid || demoTenantId,
        oid: oid || uuid,
        ...profile,
        preferred_username: email || name,
        ver: '2.0',
      }
    }
  }
}
