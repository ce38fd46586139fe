import type { SignInFlow } from './oidc.ts'

/** The OpenID provider of an organisation, as an admin of its account has entered it. */
export interface SsoSettings {
  id: string
  /** Identifies this version of the connection. */
  version: string
  issuer: string
  clientId: string
  clientSecret: string
  scopes: readonly string[]
  groupsClaim: string
}

/** A person as the provider of their organisation knows them. Only `subject` identifies them. */
export interface SsoIdentity {
  subject: string
  /** The address, if the provider says that it belongs to them. */
  email: string | null
  /** Whether there is an address that the provider does not vouch for. */
  hasUnverifiedEmail: boolean
  name: string | null
  /** Null if the token has fewer groups than the person. */
  groups: string[] | null
}

/** What is wrong with a connection, and what to look at, as sentences. */
export interface SsoCheck {
  problems: string[]
  warnings: string[]
}

export interface SsoProvider {
  /** Return the address for the browser. Throw OidcFailure. */
  authorizationUrl(flow: SignInFlow, email: string): Promise<string>
  /** Exchange the code from the browser for a verified identity. Throw OidcFailure. */
  redeem(flow: SignInFlow & { code: string }): Promise<SsoIdentity>
  /** Ask the provider whether it does what a sign-in needs. */
  check(): Promise<SsoCheck>
}

export interface SsoPort {
  open(settings: SsoSettings): SsoProvider
  /** The address to enter at the provider. Each connection has its own, so that no provider gets the code of another. */
  redirectUri(connectionId: string): string
}
