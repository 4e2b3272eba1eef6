// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {HubToken} from "../../src/HubToken.sol";
import {ISignedActions} from "../../src/interfaces/ISignedActions.sol";
import {Staking} from "../../src/Staking.sol";
import {Bond, BondBatch, PermitSignature, StakingParameters} from "../../src/types/StakingTypes.sol";
import {Signers} from "./Signers.sol";
import {between} from "./Vm.sol";

/// @title What a signature is worth, and where
contract SignatureTest is Signers {
    string private constant DOMAIN = "Hub Staking";
    PermitSignature private _noPermit;

    HubToken private _token;
    Staking private _staking;

    function setUp() external {
        vm.warp(1_800_000_000);
        _token = new HubToken("Hub", "HUB", "HUB", address(this), address(this), address(this), _owner(0), 1e30);
        _staking = _deploy();
        vm.prank(_owner(0));
        _token.approve(address(_staking), type(uint256).max);
    }

    function _deploy() private returns (Staking) {
        StakingParameters memory parameters = StakingParameters(1, 1 days, 1 hours, 7 days);
        return new Staking(DOMAIN, _token, address(1), parameters, address(1), address(1), address(1), address(1));
    }

    function _bond(uint256 amount, uint256 nonce, uint256 deadline) private pure returns (Bond memory) {
        return Bond(_owner(0), bytes32(uint256(1)), bytes32(uint256(2)), amount, nonce, deadline);
    }

    function _signed(Bond memory action, uint256 signer, bytes32 domain) private pure returns (bytes memory) {
        bytes32 typeHash = keccak256(
            "Bond(address owner,bytes32 projectId,bytes32 nodeKey,uint256 amount,uint256 nonce,uint256 deadline)"
        );
        return _sign(signer, domain, keccak256(abi.encode(typeHash, action)));
    }

    function testFuzz_Deadline(uint256 deadline) external {
        deadline = between(deadline, block.timestamp - 2 days, block.timestamp + 9 days);
        Bond memory action = _bond(1, 0, deadline);
        bytes memory signature = _signed(action, 0, _domain(DOMAIN, address(_staking), block.chainid));
        if (deadline <= block.timestamp) vm.expectPartialRevert(ISignedActions.SignatureExpired.selector);
        else if (deadline > block.timestamp + 7 days) vm.expectPartialRevert(ISignedActions.DeadlineTooFar.selector);
        _staking.bondBySig(action, signature, _noPermit);
    }

    function testFuzz_OnlyTheSigner(uint256 signer) external {
        signer = signer % OWNERS;
        Bond memory action = _bond(1, 0, block.timestamp + 1);
        bytes memory signature = _signed(action, signer, _domain(DOMAIN, address(_staking), block.chainid));
        if (signer != 0) vm.expectPartialRevert(ISignedActions.InvalidSignature.selector);
        _staking.bondBySig(action, signature, _noPermit);
    }

    function testFuzz_NothingOnAnotherChain(uint64 signedFor, uint64 here) external {
        vm.assume(here != 0);
        vm.chainId(here);
        Bond memory action = _bond(1, 0, block.timestamp + 1);
        bytes memory signature = _signed(action, 0, _domain(DOMAIN, address(_staking), signedFor));
        if (signedFor != here) vm.expectPartialRevert(ISignedActions.InvalidSignature.selector);
        _staking.bondBySig(action, signature, _noPermit);
    }

    function testFuzz_NothingInAnotherDeployment(uint256 amount) external {
        Staking other = _deploy();
        Bond memory action = _bond(between(amount, 1, 1e24), 0, block.timestamp + 1);
        bytes memory signature = _signed(action, 0, _domain(DOMAIN, address(_staking), block.chainid));
        vm.expectPartialRevert(ISignedActions.InvalidSignature.selector);
        other.bondBySig(action, signature, _noPermit);
        _staking.bondBySig(action, signature, _noPermit);
    }

    /// @dev Whatever a stranger changes of a signed order, it is another order.
    function testFuzz_NothingWhenChanged(uint256 amount, bytes32 projectId, bytes32 nodeKey, uint32 later) external {
        Bond memory action = _bond(1e18, 0, block.timestamp + 1);
        bytes memory signature = _signed(action, 0, _domain(DOMAIN, address(_staking), block.chainid));
        Bond memory changed = Bond(action.owner, projectId, nodeKey, amount, 0, action.deadline + (later % 6 days));
        vm.assume(keccak256(abi.encode(changed)) != keccak256(abi.encode(action)));
        vm.expectPartialRevert(ISignedActions.InvalidSignature.selector);
        _staking.bondBySig(changed, signature, _noPermit);
    }

    /// @dev What stands in one list must not be read as an entry of the next, nor one batch as another of the same entries.
    function testFuzz_NoBatchWhenChanged(bytes32[3] memory words, uint8 way) external {
        BondBatch memory action = BondBatch(_owner(0), new bytes32[](2), new bytes32[](2), new uint256[](2), 0, block.timestamp + 1);
        for (uint256 i = 0; i < 2; ++i) {
            (action.projectIds[i], action.nodeKeys[i]) = (words[i], words[i + 1]);
            action.amounts[i] = 1 + i;
        }
        bytes memory signature = _signedBatch(action);
        if (way % 4 == 0) (action.amounts[0], action.amounts[1]) = (action.amounts[1], action.amounts[0]);
        else if (way % 4 == 1) (action.projectIds, action.nodeKeys) = (action.nodeKeys, action.projectIds);
        else if (way % 4 == 2) action.amounts[1] += 1;
        else (action.projectIds, action.nodeKeys, action.amounts) = (new bytes32[](1), new bytes32[](1), new uint256[](1));
        vm.assume(way % 4 != 1 || words[0] != words[1] || words[1] != words[2]);
        vm.expectPartialRevert(ISignedActions.InvalidSignature.selector);
        _staking.bondBatchBySig(action, signature, _noPermit);
    }

    function _signedBatch(BondBatch memory action) private view returns (bytes memory) {
        bytes32 typeHash = keccak256(
            "BondBatch(address owner,bytes32[] projectIds,bytes32[] nodeKeys,uint256[] amounts,uint256 nonce,uint256 deadline)"
        );
        bytes32 projects = keccak256(abi.encode(action.projectIds[0], action.projectIds[1]));
        bytes32 nodes = keccak256(abi.encode(action.nodeKeys[0], action.nodeKeys[1]));
        bytes32 amounts = keccak256(abi.encode(action.amounts[0], action.amounts[1]));
        bytes32 structHash = keccak256(
            abi.encode(typeHash, action.owner, projects, nodes, amounts, action.nonce, action.deadline)
        );
        return _sign(0, _domain(DOMAIN, address(_staking), block.chainid), structHash);
    }

    /// @dev No bytes at all pass for a signature of somebody who gave none.
    function testFuzz_NoBytesAreASignature(bytes calldata signature) external {
        vm.expectPartialRevert(ISignedActions.InvalidSignature.selector);
        _staking.bondBySig(_bond(1, 0, block.timestamp + 1), signature, _noPermit);
    }

    function testFuzz_NoncesComeInOrder(uint256 nonce) external {
        Bond memory action = _bond(1, nonce, block.timestamp + 1);
        bytes memory signature = _signed(action, 0, _domain(DOMAIN, address(_staking), block.chainid));
        if (nonce != 0) vm.expectPartialRevert(bytes4(keccak256("InvalidAccountNonce(address,uint256)")));
        _staking.bondBySig(action, signature, _noPermit);
    }
}
