import * as z from 'zod'

/**
 * The id of a row, in small letters as PostgreSQL writes it: an id of a request is compared with stored ones
 * in code too.
 */
export const Uuid = z.uuid().toLowerCase()
