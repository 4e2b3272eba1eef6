// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev What these tests use of forge.
interface Vm {
    function addr(uint256 privateKey) external pure returns (address);
    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function prank(address sender) external;
    function warp(uint256 timestamp) external;
    function chainId(uint256 id) external;
    function assume(bool condition) external pure;
    function expectPartialRevert(bytes4 selector) external;
}

abstract contract ForgeTest {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @dev Read by forge: whom an invariant run calls.
    address[] private _targets;

    function targetContracts() external view returns (address[] memory) {
        return _targets;
    }

    function _target(address handler) internal {
        _targets.push(handler);
    }
}

/// @dev A number between two others, both included.
function between(uint256 seed, uint256 least, uint256 most) pure returns (uint256) {
    return least + (seed % (most - least + 1));
}
