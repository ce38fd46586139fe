import { expect, it } from 'vitest'
import { readBearer } from '#http/authenticate.ts'

it.each([
  ['Bearer abc.d-e_f', 'abc.d-e_f'],
  ['bearer  abc', 'abc'],
  ['Bearer', ''],
  ['Bearer a b', ''],
  ['Basic abc', ''],
  ['', ''],
])('readBearer reads %j as %j', (header, credential) => expect(readBearer(header)).toBe(credential))
