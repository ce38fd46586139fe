import * as z from 'zod'

/** Someone who signed in during this run. */
export interface Person {
  id: string
  email: string
  accessToken: string
}

/** The fields of a sign-in response that the tour needs. */
export const TokenPair = z.object({
  user: z.object({ email: z.string(), role: z.string(), account_name: z.string(), id: z.string() }),
  access_token: z.string(),
})
