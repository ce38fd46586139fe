import * as z from 'zod'
import type { Client } from '#client/client.ts'

/** Someone who signed in during this run. */
export interface Person {
  id: string
  email: string
  client: Client
}

/** The fields of a sign-in response that the tour needs. */
export const SignedIn = z.object({
  user: z.object({ email: z.string(), role: z.string(), account_name: z.string(), id: z.string() }),
})
