// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ForgeTest} from "./Vm.sol";

/// @title Accounts with keys, which sign what the protocol has them sign
abstract contract Signers is ForgeTest {
    uint256 internal constant OWNERS = 3;

    function _key(uint256 index) internal pure returns (uint256) {
        return 0xA11CE + index;
    }

    function _owner(uint256 index) internal pure returns (address) {
        return vm.addr(_key(index));
    }

    function _sign(uint256 index, bytes32 domainSeparator, bytes32 structHash) internal pure returns (bytes memory) {
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", domainSeparator, structHash));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(_key(index), digest);
        return abi.encodePacked(r, s, v);
    }

    /// @dev Written out once more, apart from the contracts.
    function _domain(string memory name, address verifyingContract, uint256 chainId) internal pure returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                    keccak256(bytes(name)),
                    keccak256("1"),
                    chainId,
                    verifyingContract
                )
            );
    }
}
