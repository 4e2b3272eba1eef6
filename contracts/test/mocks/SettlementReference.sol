// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Arrays} from "@openzeppelin/contracts/utils/Arrays.sol";
import {Hashes} from "@openzeppelin/contracts/utils/cryptography/Hashes.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {IProjectVault} from "../../src/interfaces/IProjectVault.sol";
import {Claim, PayoutLeaf} from "../../src/types/VaultTypes.sol";

/// @title What the protocol computes off the chain, once more in Solidity
contract SettlementReference {
    function leavesOf(bytes32 projectId, uint256 epoch, address[] calldata miners, uint256[] calldata amounts)
        external
        pure
        returns (bytes32[] memory leaves)
    {
        leaves = new bytes32[](miners.length);
        for (uint256 i = 0; i < miners.length; ++i) leaves[i] = PayoutLeaf.hash(projectId, epoch, miners[i], amounts[i]);
    }

    /// @dev Leaves in any order. Each level is written over the one below.
    function rootOf(bytes32[] memory nodes) external pure returns (bytes32) {
        nodes = Arrays.sort(nodes);
        for (uint256 count = nodes.length; count > 1; count = (count + 1) / 2) {
            for (uint256 i = 0; i < count; i += 2)
                nodes[i / 2] = i + 1 < count ? Hashes.commutativeKeccak256(nodes[i], nodes[i + 1]) : nodes[i];
        }
        return nodes[0];
    }

    function verify(bytes32 root, bytes32[] calldata leaves, bytes32[][] calldata proofs)
        external
        pure
        returns (bool[] memory holds)
    {
        holds = new bool[](leaves.length);
        for (uint256 i = 0; i < leaves.length; ++i) holds[i] = MerkleProof.verifyCalldata(proofs[i], root, leaves[i]);
    }

    function slashAmounts(uint256[] calldata bonded, uint256[] calldata basisPoints)
        external
        pure
        returns (uint256[] memory amounts)
    {
        amounts = new uint256[](bonded.length);
        for (uint256 i = 0; i < bonded.length; ++i) amounts[i] = Math.mulDiv(bonded[i], basisPoints[i], 10_000);
    }

    /// @dev The error each claim is refused with, zero for one that is paid.
    function claimEach(IProjectVault vault, Claim[] calldata claims) external returns (bytes4[] memory refusals) {
        refusals = new bytes4[](claims.length);
        for (uint256 i = 0; i < claims.length; ++i) {
            Claim calldata one = claims[i];
            bytes memory call = abi.encodeCall(IProjectVault.claim, (one.epoch, one.miner, one.amount, one.proof));
            (bool success, bytes memory answer) = address(vault).call(call);
            if (!success) refusals[i] = bytes4(answer);
        }
    }
}
