import { describeVectors } from '../vectors/suite.ts'

describeVectors('network-params')
