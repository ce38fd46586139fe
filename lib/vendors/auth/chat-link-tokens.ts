import * as z from 'zod'
import { createTokenSigner, type TokenSettings } from './jwt.ts'

const Claims = z.object({
  sub: z.uuid(),
  account: z.uuid(),
  config: z.uuid(),
  team: z.string(),
  user: z.string(),
  name: z.string(),
})

/** Who asks to be linked: a user of a chat tool, who has pressed a button of a config. */
export interface ChatLinkRequest {
  /** With which a link is made once. */
  requestId: string
  accountId: string
  configId: string
  /** The ids of the workspace and the user. */
  team: string
  chatUser: string
  /** What the tool calls them. */
  name: string
}

export interface ChatLinkTokens {
  /** Sign a request. It is valid for 10 minutes. */
  sign(request: ChatLinkRequest): Promise<string>
  /** Return the request, or null when the token is not ours, was changed or has expired. */
  verify(token: string): Promise<ChatLinkRequest | null>
}

const lifetimeSeconds = 10 * 60

/**
 * Create and verify the tokens with which a person links their user of a chat tool. Only that user has seen the
 * token, and only a signed-in person of the account can use it.
 */
export function createChatLinkTokens(settings: TokenSettings): ChatLinkTokens {
  const signer = createTokenSigner(settings, '/chat-link')
  return {
    sign: ({ requestId, accountId, configId, team, chatUser, name }) =>
      signer.sign(
        requestId,
        { account: accountId, config: configId, team, user: chatUser, name },
        lifetimeSeconds,
      ),
    async verify(token) {
      const { data } = Claims.safeParse(await signer.verify(token))
      return data
        ? {
            requestId: data.sub,
            accountId: data.account,
            configId: data.config,
            team: data.team,
            chatUser: data.user,
            name: data.name,
          }
        : null
    },
  }
}
