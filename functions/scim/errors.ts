import type { Problem } from '#problem.ts'

/** What a client can tell apart: https://www.rfc-editor.org/rfc/rfc7644#section-3.12 */
type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'uniqueness'

/** A failure as SCIM answers it. `detail` is shown to the admin of the provider. */
export class ScimError extends Error {
  readonly status: number
  readonly scimType: ScimType | undefined
  constructor(status: number, detail: string, scimType?: ScimType) {
    super(detail)
    this.status = status
    this.scimType = scimType
  }

  toJson(): string {
    const { status, scimType, message } = this
    return JSON.stringify({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      ...(scimType ? { scimType } : {}),
      detail: message.toWellFormed(),
    })
  }
}

export const invalidValue = (detail: string) => new ScimError(400, detail, 'invalidValue')
export const invalidSyntax = (detail: string) => new ScimError(400, detail, 'invalidSyntax')

/**
 * Turn what a service throws into SCIM's form. A 409 means a duplicate to providers, so whatever else conflicts, such as
 * a lack of seats or the last admin, is a 403.
 */
export function toScimError({ kind, status, message }: Problem): ScimError {
  switch (kind) {
    case 'conflict':
    case 'email_taken':
    case 'name_taken':
      return new ScimError(409, message, 'uniqueness')
    case 'limit_reached':
    case 'seat_limit_reached':
      return new ScimError(403, message)
    case 'invalid':
      return new ScimError(400, message, 'invalidValue')
    default:
      return new ScimError(status === 409 ? 403 : status, message)
  }
}
