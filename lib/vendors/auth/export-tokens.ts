import * as z from 'zod'
import { createTokenSigner, type TokenSettings } from './jwt.ts'

/** The right to download one export. It ends with the rights of the admin who created the link. */
export interface ExportGrant {
  exportId: string
  accountId: string
  userId: string
}

export interface ExportTokens {
  sign(grant: ExportGrant, lifetimeSeconds: number): Promise<string>
  /** Return the grant of a token, or null when it is not ours, was changed or has expired. */
  verify(token: string): Promise<ExportGrant | null>
}

const Claims = z.object({ sub: z.uuid(), acc: z.uuid(), usr: z.uuid() })

/** Create and verify the tokens of download links. They stand in URLs and give no other right. */
export function createExportTokens(settings: TokenSettings): ExportTokens {
  const signer = createTokenSigner(settings, '/export')
  return {
    sign: ({ exportId, accountId, userId }, lifetimeSeconds) =>
      signer.sign(exportId, { acc: accountId, usr: userId }, lifetimeSeconds),
    async verify(token) {
      const { data: claims } = Claims.safeParse(await signer.verify(token))
      return claims ? { exportId: claims.sub, accountId: claims.acc, userId: claims.usr } : null
    },
  }
}
